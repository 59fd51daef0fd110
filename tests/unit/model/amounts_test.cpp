// SPDX-License-Identifier: Apache-2.0
// Goal: sums of resources are sorted, and nothing is left of what was added and taken off again.
#include "runtime/model/amounts.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace argosy::model {
namespace {

TEST(amounts_of_resources, are_found_by_name) {
  const resource_list list{{"memory", 5}, {"cpu", 3}};
  EXPECT_EQ(amount_of(list, "cpu"), 3);
  EXPECT_EQ(amount_of(list, "gpu"), 0);
}

TEST(amounts_of_resources, are_summed_by_name_in_order) {
  resource_list sum;
  add(sum, {{"memory", 5}, {"cpu", 3}});
  add(sum, {{"gpu", 1}, {"cpu", 4}});
  EXPECT_EQ(sum, (resource_list{{"cpu", 7}, {"gpu", 1}, {"memory", 5}}));
  subtract(sum, {{"gpu", 1}, {"cpu", 3}});
  EXPECT_EQ(sum, (resource_list{{"cpu", 4}, {"memory", 5}}));
}

TEST(amounts_of_resources, stop_at_the_largest_number) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  resource_list sum{{"cpu", most - 1}};
  add(sum, {{"cpu", 5}});
  EXPECT_EQ(amount_of(sum, "cpu"), most);
}

}  // namespace
}  // namespace argosy::model
