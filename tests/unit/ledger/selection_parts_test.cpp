// SPDX-License-Identifier: Apache-2.0
// Goal: a change of many jobs is taken apart completely and in order, in parts that fit the speed
// at which the log takes them. Method: parts of made-up ids, and made-up times until parts are
// durable.
#include "runtime/ledger/queue/selection_parts.hpp"

#include <gtest/gtest.h>

#include "runtime/base/ulid.hpp"

namespace argosy::ledger {

namespace {

using namespace std::chrono_literals;

std::vector<ulid> some_ids(std::size_t count) {
  std::vector<ulid> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(ulid_from_hash(1, 0, i));
  return out;
}

TEST(selection_parts, cover_all_ids_in_order) {
  selection_parts parts{{}, some_ids(25), 10};
  std::vector<ulid> taken;
  while (!parts.all_taken()) {
    const auto part = parts.take();
    EXPECT_LE(part.ids.size(), 10u);
    taken.insert(taken.end(), part.ids.begin(), part.ids.end());
  }
  EXPECT_EQ(taken, some_ids(25));
}

TEST(selection_parts, shrink_to_a_fifth_while_they_take_long) {
  selection_parts parts{{}, some_ids(100'000), 1'000};
  EXPECT_EQ(parts.take().ids.size(), 1'000u);
  parts.took(200ms);
  EXPECT_EQ(parts.take().ids.size(), 750u);
  for (int i = 0; i < 20; ++i) parts.took(200ms);
  EXPECT_EQ(parts.take().ids.size(), 200u);
}

TEST(selection_parts, grow_again_when_they_are_quick) {
  selection_parts parts{{}, some_ids(100'000), 1'000};
  for (int i = 0; i < 20; ++i) parts.took(200ms);
  parts.took(10ms);
  EXPECT_EQ(parts.take().ids.size(), 226u);
  for (int i = 0; i < 40; ++i) parts.took(10ms);
  EXPECT_EQ(parts.take().ids.size(), 1'000u);
}

TEST(selection_parts, have_at_least_one_job) {
  selection_parts parts{{}, some_ids(3), 2};
  for (int i = 0; i < 5; ++i) parts.took(1s);
  EXPECT_EQ(parts.take().ids.size(), 1u);
}

}  // namespace

}  // namespace argosy::ledger
