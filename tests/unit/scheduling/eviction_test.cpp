// SPDX-License-Identifier: Apache-2.0
// Goal: under preset classic a queue gives up jobs for balance only where another queue waits with
// a class of equal priority. Method: one full node; the cause of each preemption tells which way it
// went.
#include "tests/unit/scheduling/world_fixture.hpp"

namespace argosy::scheduling {

namespace {

/// Queue a holds all four cpus with class std; queue b asks for one with the given class.
std::vector<preemption_cause> causes(const std::string& wanted_class, const std::string& of_queue_b,
                                     preset name) {
  std::string world =
      "N 0 n0 e 4000 8589934592 0 - -\n"
      "Q a 1\n"
      "Q b 1" +
      of_queue_b + "\n";
  for (int i = 0; i < 4; ++i)
    world += "J r" + std::to_string(i) + " a std 0 1 1000 1073741824 0 - - - - 0 -\nR r" +
             std::to_string(i) + " 0 1 1000\n";
  world += "J j b " + wanted_class + " 0 1 1000 1073741824 0 - - - - 0 -\n";
  const auto made = decide(world, name, [](config& conf) { conf.protected_fraction = 1; });
  std::vector<preemption_cause> out;
  for (const auto& each : made.what.preemptions) out.push_back(each.cause);
  return out;
}

using all = std::vector<preemption_cause>;

}  // namespace

TEST(contested_eviction, classic_balances_between_equal_classes) {
  EXPECT_EQ(causes("std", "", preset::classic), all{preemption_cause::fair_share});
}

TEST(contested_eviction, classic_leaves_a_higher_class_to_urgency) {
  EXPECT_EQ(causes("urgent", "", preset::classic), all{preemption_cause::urgency});
  EXPECT_EQ(causes("urgent", "", preset::argosy), all{preemption_cause::fair_share});
}

TEST(contested_eviction, a_lower_class_or_a_cordoned_queue_gets_nothing) {
  EXPECT_EQ(causes("low", "", preset::classic), all{});
  EXPECT_EQ(causes("std", " cordoned", preset::classic), all{});
}

}  // namespace argosy::scheduling
