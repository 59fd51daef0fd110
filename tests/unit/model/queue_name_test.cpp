// SPDX-License-Identifier: Apache-2.0
// Goal: queues may have the names that users of Armada gave to theirs, and nothing that breaks a
// line, a path or a table. Method: tables of names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/queue.hpp"

namespace argosy::model {

TEST(queue_name, may_have_capitals_underscores_and_dots) {
  for (const auto* name :
       {"a", "A", "7", "e2e-test-queue-01ARZ3NDEK", "team_a.prod", "a--b", "a..b", "Queue-", "x_"})
    EXPECT_TRUE(validate_queue_name(name, "queue")) << name;
  EXPECT_TRUE(validate_queue_name(std::string(name_size_max, 'Q'), "queue"));
}

TEST(queue_name, has_nothing_that_breaks_a_line_a_path_or_a_flag) {
  for (const auto* name : {"", "a b", "a/b", "-a", ".a", "_a", "a\n", "a\tb", "ä", "a:b", "a*"})
    EXPECT_FALSE(validate_queue_name(name, "queue")) << name;
  EXPECT_FALSE(validate_queue_name(std::string(name_size_max + 1, 'q'), "queue"));
  EXPECT_EQ(validate_queue_name("a/b", "queue").error().detail,
            "queue 'a/b': character 2 is not one of A-Z, a-z, 0-9, '-', '_' and '.'");
}

}  // namespace argosy::model
