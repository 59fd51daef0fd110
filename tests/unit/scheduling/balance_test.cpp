// SPDX-License-Identifier: Apache-2.0
// Goal: who leaves for balance follows nodeOrder as victims of urgency do, under every queueOrder
// and jobOrder; each form of preemption can be switched off, and stays off whatever it is called.
// Method: small worlds, each with one thing for which the wrong job could leave.
#include <map>

#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

std::string node(int number, int cores) {
  return "N " + std::to_string(number) + " n" + std::to_string(number) + " e " +
         std::to_string(1000 * cores) + " 9000 0 - -\n";
}

std::string waiting(const std::string& id, const std::string& queue, const std::string& cls,
                    int cores, int priority = 0) {
  return "J " + id + " " + queue + " " + cls + " " + std::to_string(priority) + " 1 " +
         std::to_string(1000 * cores) + " 1 0 - - - - 1 -\n";
}

std::string running(const std::string& id, const std::string& queue, const std::string& cls,
                    int cores, int on, int created = 1, int priority = 0) {
  const std::map<std::string, int> priorities = {
      {"low", 500}, {"std", 1000}, {"std-np", 1000}, {"urgent", 2000}};
  return waiting(id, queue, cls, cores, priority) + "R " + id + " " + std::to_string(on) + " " +
         std::to_string(created) + " " + std::to_string(priorities.at(cls)) + "\n";
}

std::function<void(config&)> evicting(const std::function<void(config&)>& more = {}) {
  return [more](config& conf) {
    conf.protected_fraction = 0;
    if (more) more(conf);
  };
}

/// Expects the same decisions whether or not the class comes first in the order of queues, and
/// whether or not it comes first in that of a queue's jobs.
void expect_under_every_order(const std::string& text, const lines& expected) {
  for (const bool by_class : {false, true})
    for (const bool in_queue : {false, true})
      EXPECT_EQ(decide(text, preset::argosy, evicting([&](config& conf) {
                         conf.class_before_cost = by_class;
                         conf.class_in_job_order = in_queue;
                       }))
                    .rows,
                expected)
          << by_class << in_queue;
}

TEST(balance, costs_the_lowest_class_its_place_under_every_order_of_queues) {
  // The last to come back by cost is b2, of the richer queue; the job of a has a lower class.
  const auto text = node(0, 2) + node(1, 4) + "Q a 1\nQ b 1\nQ c 0.5\n" +
                    running("a-low", "a", "low", 2, 0) + running("b1", "b", "std", 2, 1, 1) +
                    running("b2", "b", "std", 2, 1, 2) + waiting("c1", "c", "std", 2);
  expect_under_every_order(text, {"P a-low n0", "S c1 n0 1000"});
}

TEST(balance, costs_the_lowest_class_of_a_node_its_place_first) {
  // In the order of job priority `std` would come back last.
  const auto text = node(0, 4) + "Q b 3\nQ c 1\n" + running("std", "b", "std", 2, 0, 1, 9) +
                    running("low", "b", "low", 2, 0, 1, 0) + waiting("c1", "c", "std", 2);
  expect_under_every_order(text, {"P low n0", "S c1 n0 1000"});
}

TEST(balance, costs_no_higher_class_its_place_where_a_gang_never_has_its_turn) {
  // a-std waits for its mate, which fits nowhere, so that nobody of its class is in the line.
  auto gang = running("a-std", "a", "std", 1, 1) + waiting("a-std-mate", "a", "std", 99);
  for (auto at = gang.find("- - - - 1 -"); at != std::string::npos;
       at = gang.find("- - - - 1 -", at))
    gang.replace(at, 11, "- - - g 2 -");
  const auto text = node(0, 2) + node(1, 1) + node(2, 1) + "Q a 9\nQ c 1\n" +
                    running("a-urgent", "a", "urgent", 2, 0) + gang +
                    running("a-low", "a", "low", 1, 2) + waiting("c1", "c", "std", 2);
  EXPECT_EQ(decide(text, preset::argosy, evicting([](config& conf) {
                     conf.return_room_only = false;
                     conf.class_before_cost = false;
                     for (auto& each : conf.classes) each.fair_share_preemptible = true;
                   }))
                .rows,
            (lines{"P a-std n1"}));
}

TEST(balance, takes_from_the_queue_that_holds_most_at_that_moment) {
  // a holds ten, b eight, and c wants six of 18: all end with six.
  std::string text = node(0, 9) + node(1, 9) + "Q a 1\nQ b 1\nQ c 1\n";
  for (int i = 0; i < 10; ++i)
    text += running("a" + std::to_string(i), "a", "std", 1, i < 5 ? 0 : 1, i);
  for (int i = 0; i < 8; ++i)
    text += running("b" + std::to_string(i), "b", "std", 1, i < 4 ? 0 : 1, i);
  for (int i = 0; i < 9; ++i) text += waiting("c" + std::to_string(i), "c", "std", 1);
  for (const auto name : {preset::argosy, preset::unified}) {
    const auto made = decide(text, name, evicting()).what;
    ASSERT_EQ(made.queues.size(), 3u);
    EXPECT_EQ(made.queues[0].preempted, 4u) << to_string(name);
    EXPECT_EQ(made.queues[1].preempted, 2u) << to_string(name);
    EXPECT_EQ(made.queues[2].leased, 6u) << to_string(name);
  }
}

TEST(balance, takes_the_fullest_node_among_equal_victims) {
  // a0 is the newer run, and n0 has a core free beside it.
  const auto text = node(0, 3) + node(1, 2) + "Q a 9\nQ b 1\n" +
                    running("a0", "a", "std", 2, 0, 2) + running("a1", "a", "std", 2, 1, 1) +
                    waiting("b1", "b", "std", 2);
  for (const auto name : {preset::argosy, preset::unified, preset::classic})
    EXPECT_EQ(decide(text, name, evicting()).rows, (lines{"P a1 n1", "S b1 n1 1000"}))
        << to_string(name);
}

TEST(balance, asks_whose_jobs_run_on_a_node_where_the_order_does) {
  // b's own new job is due before its old one, which has n1 for itself.
  const auto text = node(0, 2) + node(1, 2) + "Q a 1\nQ b 0.5\n" + running("a0", "a", "std", 2, 0) +
                    running("b1", "b", "std", 2, 1, 1, 9) + waiting("b0", "b", "std", 2, 0);
  const auto with = [](const std::vector<node_key>& order) {
    return evicting([order](config& conf) {
      conf.evicted_first = false;
      conf.evict_contested_only = false;
      conf.node_order = order;
    });
  };
  using enum node_key;
  EXPECT_EQ(decide(text, preset::classic, with({no_preemption, sole_user_node, best_fit})).rows,
            (lines{"P b1 n1", "S b0 n1 1000"}));
  EXPECT_EQ(decide(text, preset::classic, with({no_preemption, shared_node, best_fit})).rows,
            (lines{"P a0 n0", "S b0 n0 1000"}));
}

TEST(balance, places_many_kinds_of_jobs_as_one_kind) {
  // Each kind has a ranking of the nodes, and these do not all keep every node.
  const int nodes = 2500;
  std::string text;
  std::string jobs;
  for (int i = 0; i < nodes; ++i) {
    text += node(i, 2);
    jobs += running("a" + std::to_string(i), "a", "std", 1, i, i % 7) +
            running("b" + std::to_string(i), "b", "std", 1, i, i % 5);
  }
  text += "Q a 1\nQ b 1\nQ c 1\n" + jobs;
  std::string alike;
  std::string different;
  for (int i = 0; i < 1500; ++i) {
    const auto id = "c" + std::to_string(10'000 + i);
    alike += waiting(id, "c", "std", 1);
    different += "J " + id + " c std 0 1 1000 1 0 - k" + std::to_string(i) + " - - 1 -\n";
  }
  const auto expected = decide(text + alike, preset::argosy, evicting()).rows;
  ASSERT_EQ(expected.size(), 3000u);
  EXPECT_EQ(decide(text + different, preset::argosy, evicting()).rows, expected);
}

/// One core is free, and j1 and j4 wait for it; j5 comes last of all.
const std::string merged = node(0, 4) + "Q a 2\nQ b 3\n" + running("j2", "a", "std", 1, 0) +
                           running("j3", "a", "std", 1, 0) + running("j5", "b", "std", 1, 0) +
                           waiting("j1", "a", "std", 1) + waiting("j4", "b", "std", 1);

TEST(balance, costs_the_last_of_evicted_and_queued_jobs_its_place) {
  // In the order of both queues j5 comes last: j1 of a takes the free core, and j4 takes the place
  // of its own queue's j5, so that the next round finds nothing to change.
  EXPECT_EQ(decide(merged, preset::unified, evicting()).rows,
            (lines{"P j5 n0", "S j1 n0 1000", "S j4 n0 1000"}));
  const auto next = node(0, 4) + "Q a 2\nQ b 3\n" + running("j1", "a", "std", 1, 0, 2) +
                    running("j2", "a", "std", 1, 0) + running("j3", "a", "std", 1, 0) +
                    running("j4", "b", "std", 1, 0, 2) + waiting("j5", "b", "std", 1);
  EXPECT_EQ(decide(next, preset::unified, evicting()).rows, lines{});
}

TEST(balance, is_not_measured_with_what_a_cordoned_queue_has_queued) {
  // j1 and j0 of the cordoned a never start, so that j3 does not come after them.
  auto text = merged + waiting("j0", "a", "std", 1);
  text.replace(text.find("Q a 2"), 5, "Q a 2 cordoned");
  EXPECT_EQ(decide(text, preset::unified, evicting()).rows, lines{"S j4 n0 1000"});
}

const std::vector<preset> that_preempt = {preset::argosy, preset::unified, preset::classic};

TEST(disable_fair_share_preemption, leaves_equal_classes_where_they_are) {
  const auto text = node(0, 4) + "Q a 1\nQ b 1\n" + running("a1", "a", "std", 2, 0) +
                    running("a2", "a", "std", 2, 0) + waiting("b1", "b", "std", 2);
  for (const auto name : that_preempt) {
    EXPECT_EQ(decide(text, name, evicting()).what.preemptions.size(), 1u) << to_string(name);
    EXPECT_EQ(decide(text, name,
                     evicting([](config& conf) { conf.disable_fair_share_preemption = true; }))
                  .rows,
              lines{})
        << to_string(name);
  }
}

TEST(disable_fair_share_preemption, spares_classes_that_only_balance_may_touch) {
  // `batch` may leave for balance, and for nothing else.
  const auto text = node(0, 2) + "Q a 1\nQ b 1\n" + waiting("r", "a", "batch", 2) +
                    "R r 0 1 100\n" + waiting("u", "b", "urgent", 2);
  const auto lost = [&](bool disabled) {
    return decide(text, preset::argosy, evicting([&](config& conf) {
                    conf.classes.push_back(
                        {.name = "batch", .priority = 100, .fair_share_preemptible = true});
                    conf.disable_fair_share_preemption = disabled;
                  }))
        .what.preemptions.size();
  };
  EXPECT_EQ(lost(false), 1u);
  EXPECT_EQ(lost(true), 0u);
}

TEST(disable_fair_share_preemption, keeps_what_the_pool_has_as_a_whole_with_its_holders) {
  const auto text = "C rankAtShare false\nC floatingResources licence=1\n" + node(0, 4) +
                    "Q a 1\nQ b 0.1\nJ r a std 0 1 1000 1 0 - - - - 1 - licence=1\nR r 0 1 1000\n"
                    "J x b std 0 1 1000 1 0 - - - - 1 - licence=1\n";
  const auto off = evicting([](config& conf) { conf.disable_fair_share_preemption = true; });
  for (const auto name : that_preempt) {
    EXPECT_EQ(decide(text, name, evicting()).rows, (lines{"P r n0", "S x n0 1000"}));
    EXPECT_EQ(decide(text, name, off).rows, lines{}) << to_string(name);
  }
}

TEST(disable_fair_share_preemption, leaves_urgency_alone) {
  const auto text = node(0, 2) + "Q a 1\nQ b 1\n" + running("r", "a", "std", 2, 0) +
                    waiting("u", "b", "urgent", 2);
  for (const auto name : that_preempt) {
    const auto made = decide(
        text, name, evicting([](config& conf) { conf.disable_fair_share_preemption = true; }));
    ASSERT_EQ(made.what.preemptions.size(), 1u) << to_string(name);
    EXPECT_EQ(made.what.preemptions[0].cause, preemption_cause::urgency);
  }
}

const auto no_urgency = evicting([](config& conf) { conf.disable_urgency_preemption = true; });

TEST(disable_urgency_preemption, leaves_a_lower_class_of_the_own_queue_where_it_is) {
  const auto text =
      node(0, 4) + "Q a 1\n" + running("r", "a", "low", 4, 0) + waiting("u", "a", "urgent", 1);
  for (const auto name : that_preempt) {
    EXPECT_EQ(decide(text, name, evicting()).what.preemptions.size(), 1u) << to_string(name);
    EXPECT_EQ(decide(text, name, no_urgency).rows, lines{}) << to_string(name);
  }
}

TEST(disable_urgency_preemption, leaves_a_lower_class_of_a_poorer_queue_where_it_is) {
  // With another core b would have three of four; that its class is higher is no reason any more.
  const auto text = node(0, 4) + "Q a 1\nQ b 1\n" + running("r1", "a", "low", 1, 0) +
                    running("r2", "a", "low", 1, 0) + running("s", "b", "std-np", 2, 0) +
                    waiting("u", "b", "urgent", 1);
  for (const auto name : {preset::argosy, preset::unified}) {
    EXPECT_EQ(decide(text, name, evicting()).what.preemptions.size(), 1u) << to_string(name);
    EXPECT_EQ(decide(text, name, no_urgency).rows, lines{}) << to_string(name);
  }
}

TEST(disable_urgency_preemption, leaves_balance_alone) {
  // a has all four cores; b is due two, whatever the classes are.
  std::string text = node(0, 4) + "Q a 1\nQ b 1\n";
  for (int i = 0; i < 4; ++i) text += running("r" + std::to_string(i), "a", "low", 1, 0, i);
  for (int i = 0; i < 4; ++i) text += waiting("u" + std::to_string(i), "b", "urgent", 1);
  for (const auto name : {preset::argosy, preset::unified}) {
    EXPECT_EQ(decide(text, name, evicting()).what.leases.size(), 4u) << to_string(name);
    const auto made = decide(text, name, no_urgency).what;
    EXPECT_EQ(made.leases.size(), 2u) << to_string(name);
    for (const auto& lost : made.preemptions)
      EXPECT_EQ(lost.cause, preemption_cause::fair_share) << to_string(name);
  }
}

}  // namespace
}  // namespace argosy::scheduling
