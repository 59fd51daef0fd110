// SPDX-License-Identifier: Apache-2.0
// Goal: equal shapes are one object, also from several threads, and shapes that nobody uses go.
// Method: a table of its own is filled with shapes that differ in one amount.
#include "messages/codec/shape_table.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

model::job_shape numbered(int n) {
  auto shape = some_shape();
  shape.requests[0].second = n;
  return shape;
}

TEST(shape_table, equal_shapes_are_one_object) {
  shape_table table;
  const auto one = table.intern(some_shape());
  EXPECT_EQ(*one, some_shape());
  EXPECT_EQ(table.intern(some_shape()), one);
  EXPECT_EQ(*table.intern_encoded(table.encoded(some_shape())), one);
  EXPECT_EQ(table.encoded(*one), table.encoded(some_shape()));
  EXPECT_NE(table.intern(numbered(1)), one);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_FALSE(table.intern_encoded("\xff"));
}

TEST(shape_table, unused_shapes_are_let_go) {
  shape_table table;
  const auto kept = table.intern(numbered(-1));
  for (int i = 0; i < 20'000; ++i) static_cast<void>(table.intern(numbered(i)));
  EXPECT_LE(table.size(), 4096U);
  EXPECT_EQ(table.intern(numbered(-1)), kept);
}

TEST(shape_table, used_shapes_stay) {
  shape_table table;
  std::vector<std::shared_ptr<const model::job_shape>> used;
  for (int i = 0; i < 10'000; ++i) used.push_back(table.intern(numbered(i)));
  EXPECT_EQ(table.size(), 10'000U);
  for (int i = 0; i < 10'000; ++i)
    EXPECT_EQ(table.intern(numbered(i)), used[static_cast<std::size_t>(i)]);
}

TEST(shape_table, threads_agree) {
  shape_table table;
  std::vector<std::vector<std::shared_ptr<const model::job_shape>>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen)
    threads.emplace_back([&table, &mine] {
      for (int i = 0; i < 500; ++i) mine.push_back(table.intern(numbered(i)));
    });
  for (auto& thread : threads) thread.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
}

}  // namespace
}  // namespace argosy::codec
