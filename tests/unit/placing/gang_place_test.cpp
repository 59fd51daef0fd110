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

/// Makes members of one core, of which at least `minimum` must start.
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

/// The nodes of the members, one letter each, in the order of the members.
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
  // No rack takes all members: each takes two, and a comes before b.
  EXPECT_EQ(places(decide(node(0, "e", "rack=b", 2) + node(1, "e", "rack=a", 2) + queues +
                          gang(3, 2, "rack"))),
            "11");
}

/// Makes two nodes with each value of a label that no configuration names.
std::string slots() {
  return node(0, "e", "slot=x", 2) + node(1, "e", "slot=y", 3) + node(2, "e", "slot=x", 2) +
         node(3, "e", "slot=y", 2) + "Q a 1\nQ b 9\n";
}

reason why(const decided& made) {
  return made.what.refusals.empty() ? reason::placed : made.what.refusals.front().code;
}

TEST(gang_label, need_not_be_configured) {
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::lottery}) {
    EXPECT_EQ(places(decide(slots() + gang(4, 4, "slot"), name)), "0022") << to_string(name);
    EXPECT_EQ(places(decide(slots() + gang(5, 5, "slot"), name)), "33111") << to_string(name);
    const auto large = decide(slots() + gang(6, 6, "slot"), name);
    EXPECT_EQ(large.rows, lines{}) << to_string(name);
    EXPECT_EQ(why(large), reason::no_uniform_value) << to_string(name);
  }
  // Armada looks for the values of indexed labels alone.
  EXPECT_EQ(why(decide(slots() + gang(4, 4, "slot"), preset::current)), reason::no_uniform_value);
}

TEST(gang_label, that_no_node_has_is_the_reason) {
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::lottery}) {
    const auto made = decide(slots() + gang(2, 1, "solt"), name);
    EXPECT_EQ(made.rows, lines{}) << to_string(name);
    EXPECT_EQ(why(made), reason::no_node_has_label) << to_string(name);
  }
  EXPECT_EQ(to_string(reason::no_node_has_label), "NO_NODE_HAS_LABEL");
}

TEST(gang_label, by_default_need_not_be_configured) {
  const auto with = [](const std::string& label) {
    return [label](config& conf) { conf.default_uniformity_label = label; };
  };
  EXPECT_EQ(places(decide(slots() + gang(5, 5, "-"), preset::argosy, with("slot"))), "33111");
  EXPECT_EQ(places(decide(slots() + gang(6, 6, "-"), preset::argosy)), "002233");
  EXPECT_EQ(why(decide(slots() + gang(6, 6, "-"), preset::argosy, with("slot"))),
            reason::no_uniform_value);
  EXPECT_EQ(why(decide(slots() + gang(2, 2, "-"), preset::argosy, with("solt"))),
            reason::no_node_has_label);
}

TEST(gang_label, may_be_that_of_the_node_itself) {
  EXPECT_EQ(places(decide(slots() + gang(3, 3, "armadaproject.io/nodeId"))), "111");
}

TEST(gang_label, confines_victims_to_its_value) {
  // Both nodes of y are taken; the gang needs all that x has, or nearly all of y.
  const auto held = slots() + running("y1", 1, 3) + running("y2", 3, 2) + running("x1", 0, 1);
  const auto fair = decide(held + gang(4, 4, "slot"));
  EXPECT_EQ(fair.rows.front(), "P x1 n0");
  EXPECT_EQ(places(fair), "0220");
  const auto urgent_only = [](config& conf) { conf.protected_fraction = 9; };
  auto urgent = held + gang(4, 4, "slot");
  for (auto at = urgent.find(" a std "); at != std::string::npos; at = urgent.find(" a std "))
    urgent.replace(at, 7, " a urgent ");
  EXPECT_EQ(decide(urgent, preset::argosy, urgent_only).rows.front(), "P x1 n0");
}

}  // namespace
}  // namespace argosy::scheduling
