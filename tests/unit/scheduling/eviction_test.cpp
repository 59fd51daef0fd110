// SPDX-License-Identifier: Apache-2.0
// Goal: under preset classic a queue gives up jobs for balance only where another queue waits with
// a class of equal priority. Method: one full node; the cause of each preemption tells which way it
// went.
#include "tests/unit/scheduling/world_fixture.hpp"

namespace argosy::scheduling {

namespace {

using all = std::vector<preemption_cause>;

/// Queue a holds all four cpus with class std; queue b asks for one with the given class. `more`
/// are lines of further queues.
all causes(const std::string& wanted_class, const std::string& of_queue_b, preset name,
           const std::string& more = "", bool contested_only = true) {
  std::string world =
      "N 0 n0 e 4000 8589934592 0 - -\n"
      "Q a 1\n"
      "Q b 1" +
      of_queue_b + "\n";
  for (int i = 0; i < 4; ++i)
    world += "J r" + std::to_string(i) + " a std 0 1 1000 1073741824 0 - - - - 0 -\nR r" +
             std::to_string(i) + " 0 1 1000\n";
  world += "J j b " + wanted_class + " 0 1 1000 1073741824 0 - - - - 0 -\n" + more;
  const auto made = decide(world, name, [&](config& conf) {
    conf.protected_fraction = 1;
    conf.evict_contested_only = conf.evict_contested_only && contested_only;
  });
  all out;
  for (const auto& each : made.what.preemptions) out.push_back(each.cause);
  return out;
}

}  // namespace

TEST(contested_eviction, classic_balances_between_equal_classes) {
  EXPECT_EQ(causes("std", "", preset::classic), all{preemption_cause::fair_share});
}

TEST(contested_eviction, classic_leaves_a_higher_class_to_urgency) {
  EXPECT_EQ(causes("urgent", "", preset::classic), all{preemption_cause::urgency});
  EXPECT_EQ(causes("urgent", "", preset::argosy), all{preemption_cause::fair_share});
}

TEST(contested_eviction, a_lower_class_or_a_cordoned_queue_does_not_contend) {
  // Only the urgent job of queue c gets in; by its cause the evicted jobs of a are told from bound
  // ones.
  const std::string urgent = "Q c 1\nJ u c urgent 0 1 1000 1073741824 0 - - - - 0 -\n";
  for (const auto& [wanted, of_b] : {std::pair{"low", ""}, {"std", " cordoned"}}) {
    EXPECT_EQ(causes(wanted, of_b, preset::classic, urgent), all{preemption_cause::urgency});
    EXPECT_EQ(causes(wanted, of_b, preset::classic, urgent, /*contested_only=*/false),
              all{preemption_cause::fair_share});
  }
  EXPECT_EQ(causes("low", "", preset::classic), all{});
  EXPECT_EQ(causes("std", " cordoned", preset::classic), all{});
}

/// The classes of the round decide, not those that the snapshot was made with.
TEST(eviction, asks_the_round_whether_a_class_protects_a_gang) {
  auto world = read_snap1(
      "N 0 n0 e 4000 8589934592 0 - -\nQ a 1\nQ b 1\n"
      "J g1 a std 0 1 2000 1024 0 - - - g 2 -\nR g1 0 1 1000\n"
      "J g2 a low 0 1 2000 1024 0 - - - g 2 -\nR g2 0 1 500\n"
      "J w b std 0 1 2000 1024 0 - - - - 0 -\n",
      bench_config(preset::argosy));
  ASSERT_TRUE(world);
  for (auto& entry : world->conf.classes)
    if (entry.name == "std") entry.fair_share_preemptible = false;
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error, "");
  EXPECT_EQ(what.violation, "");
  EXPECT_TRUE(what.preemptions.empty());
}

}  // namespace argosy::scheduling
