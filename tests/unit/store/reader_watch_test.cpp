// SPDX-License-Identifier: Apache-2.0
// Goal: readers that see one commit for long are known with their age, and those that go on to
// newer commits are not. Method: lists of readers at times that the test makes up.
#include "runtime/store/reader_watch.hpp"

#include <gtest/gtest.h>

namespace argosy::store {
namespace {

using namespace std::chrono_literals;

reader at(std::int64_t process, std::uint64_t commit) {
  return {process, "7f", commit, 0};
}

TEST(reader_watch, knows_for_how_long_a_commit_is_seen) {
  reader_watch watch;
  const boot_time now{1'000s};
  EXPECT_TRUE(watch.look({at(1, 5), at(2, 6)}, now, 60s).empty());
  EXPECT_TRUE(watch.look({at(1, 5), at(2, 7)}, now + 59s, 60s).empty());
  const auto old = watch.look({at(1, 5), at(2, 7)}, now + 80s, 60s);
  ASSERT_EQ(old.size(), 1u);
  EXPECT_EQ(old[0].who.process, 1);
  EXPECT_EQ(old[0].age, 80s);
  EXPECT_EQ(watch.look({at(1, 5), at(2, 7)}, now + 119s, 60s).size(), 2u);
}

TEST(reader_watch, forgets_who_has_gone_and_counts_the_oldest_of_a_thread) {
  reader_watch watch;
  const boot_time now{1'000s};
  EXPECT_TRUE(watch.look({at(1, 5), at(1, 9)}, now, 60s).empty());
  const auto old = watch.look({at(1, 5), at(1, 10)}, now + 70s, 60s);
  ASSERT_EQ(old.size(), 1u);
  EXPECT_EQ(old[0].who.commit, 5u);
  EXPECT_TRUE(watch.look({}, now + 71s, 60s).empty());
  EXPECT_TRUE(watch.look({at(1, 5)}, now + 72s, 60s).empty()) << "a new one with an old number";
}

}  // namespace
}  // namespace argosy::store
