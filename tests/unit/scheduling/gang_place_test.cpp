// SPDX-License-Identifier: Apache-2.0
// Goal: a gang that has to be on one value of a label, or in one cluster, gets the place that is
// best for all of it. Method: small worlds in which the first value is not the best one.
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

std::string node(int number, const std::string& executor, const std::string& labels, int cores) {
  return "N " + std::to_string(number) + " n" + std::to_string(number) + " " + executor + " " +
         std::to_string(1000 * cores) + " 9000 0 " + labels + " -\n";
}

/// Members of one core, of which at least `minimum` must start.
std::string gang(int members, int minimum, const std::string& label) {
  std::string text;
  for (int i = 0; i < members; ++i)
    text += "J g" + std::to_string(100 + i) + " a std 0 1 1000 1 0 - - - g " +
            std::to_string(members) + " " + label + " - - " + std::to_string(minimum) + "\n";
  return text;
}

std::string running(const std::string& id, int node, int cores) {
  return "J " + id + " b std 0 1 " + std::to_string(1000 * cores) + " 1 0 - - - - 1 -\nR " + id +
         " " + std::to_string(node) + " 1 1000\n";
}

/// The nodes that members went to, one letter each, in the order of the members.
std::string places(const decided& made) {
  std::string text;
  for (const auto& row : made.rows)
    if (row.front() == 'S') text += row.substr(row.find(" n") + 2, 1);
  return text;
}

TEST(gang_place, is_the_value_that_takes_most_members) {
  const auto queues = std::string("Q a 1\nQ b 1\n");
  const auto by_rack = node(0, "e", "rack=a", 2) + node(1, "e", "rack=b", 8) + queues;
  const auto made = decide(by_rack + gang(8, 2, "rack"));
  EXPECT_EQ(places(made), "11111111");
  EXPECT_TRUE(made.what.failed.empty());
  const auto by_cluster = node(0, "e1", "-", 2) + node(1, "e2", "-", 8) + queues;
  for (const auto name : {preset::classic, preset::lottery}) {
    const auto there = decide(by_cluster + gang(8, 2, "-"), name);
    EXPECT_EQ(places(there), "11111111") << to_string(name);
    EXPECT_TRUE(there.what.failed.empty());
  }
}

TEST(gang_place, rather_takes_all_members_than_no_ones_place) {
  // Rack a has room for three of four; on rack b one of b's jobs has to leave for the fourth.
  const auto world = node(0, "e", "rack=a", 3) + node(1, "e", "rack=b", 4) + "Q a 1\nQ b 9\n" +
                     running("r", 1, 1) + gang(4, 2, "rack");
  const auto made = decide(world);
  EXPECT_EQ(places(made), "1111");
  EXPECT_EQ(made.rows.front(), "P r n1");
}

TEST(gang_place, among_equal_ones_is_without_preemption_and_else_the_first) {
  const auto queues = std::string("Q a 1\nQ b 9\n");
  EXPECT_EQ(places(decide(node(0, "e", "rack=a", 3) + node(1, "e", "rack=b", 3) + queues +
                          running("r", 0, 1) + gang(3, 2, "rack"))),
            "111");
  EXPECT_EQ(places(decide(node(0, "e", "rack=b", 3) + node(1, "e", "rack=a", 3) + queues +
                          gang(3, 2, "rack"))),
            "111");
  // Neither takes all: two each, and a comes before b.
  EXPECT_EQ(places(decide(node(0, "e", "rack=b", 2) + node(1, "e", "rack=a", 2) + queues +
                          gang(3, 2, "rack"))),
            "11");
}

}  // namespace
}  // namespace argosy::scheduling
