// SPDX-License-Identifier: Apache-2.0
// Goal: what the presets promise of every round. Method: seeded random worlds of nodes, queues,
// running and queued jobs; the seed is printed on failure.
// ARGOSY_PROPERTY_FACTOR tries that many times as many. What a preset does not promise stands in
// property_limits_test.cpp.
#include <cstdlib>
#include <set>

#include "tests/unit/round_properties/property_fixture.hpp"

namespace argosy::scheduling {
namespace {

class every_round : public ::testing::TestWithParam<preset> {
 protected:
  /// Runs a check on many seeds until one fails.
  static void for_seeds(std::uint64_t count, const std::function<void(world_maker&)>& check) {
    if (const auto* more = std::getenv("ARGOSY_PROPERTY_FACTOR"))
      count *= std::strtoull(more, nullptr, 10);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", preset " +
                   std::string(to_string(GetParam())));
      world_maker maker(seed);
      check(maker);
      if (::testing::Test::HasFailure()) return;
    }
  }
};

std::string name_of(const ::testing::TestParamInfo<preset>& info) {
  return std::string(to_string(info.param));
}

/// Under `current` nodes that are equal are taken in the order of their creation, and weights are
/// added up in that of the queues.
class order_of_input : public every_round {};

TEST_P(order_of_input, changes_nothing) {
  for_seeds(300, [](world_maker& maker) {
    auto world = maker.make();
    const auto expected = decide_fairly(world, GetParam()).rows;
    maker.shuffle(world.nodes);
    maker.shuffle(world.queues);
    maker.shuffle(world.jobs);
    EXPECT_EQ(decide_fairly(world, GetParam()).rows, expected);
  });
}

INSTANTIATE_TEST_SUITE_P(presets, order_of_input,
                         ::testing::Values(preset::argosy, preset::unified, preset::classic,
                                           preset::lottery),
                         name_of);

class order_of_jobs : public every_round {};

TEST_P(order_of_jobs, changes_nothing) {
  for_seeds(300, [](world_maker& maker) {
    auto world = maker.make();
    const auto expected = decide_fairly(world, GetParam()).rows;
    maker.shuffle(world.jobs);
    EXPECT_EQ(decide_fairly(world, GetParam()).rows, expected);
  });
}

INSTANTIATE_TEST_SUITE_P(presets, order_of_jobs, ::testing::Values(preset::current), name_of);

class work_conservation : public every_round {};

/// A job that waits and fits into free room; empty if there is none.
std::string idle_place(const test_world& before, const test_world& now) {
  std::set<std::string> ran;  // A job that this round preempted may not start in it again.
  for (const auto& j : before.jobs)
    if (!j.node.empty()) ran.insert(j.id);
  for (const auto& j : now.jobs) {
    if (!j.node.empty() || ran.contains(j.id)) continue;
    for (const auto& n : now.nodes) {
      const bool matches = j.selector == "-" || j.selector == n.labels;
      if (matches && now.used_on(n.id) + j.cpu <= n.cpu) return j.id + " fits on " + n.id;
    }
  }
  return "";
}

TEST_P(work_conservation, a_round_without_preemption_finds_nothing_more) {
  for_seeds(300, [](world_maker& maker) {
    const auto world = maker.make();
    const auto keep_all = [](config& conf) {
      conf.protected_fraction = 1e9;
      conf.disable_urgency_preemption = true;
    };
    const auto first = decide_fairly(world, GetParam(), keep_all);
    EXPECT_TRUE(first.what.preemptions.empty());
    const auto next = after(world, first.rows, lost_jobs::end);
    EXPECT_EQ(decide_fairly(next, GetParam(), keep_all).rows, lines{});
  });
}

INSTANTIATE_TEST_SUITE_P(presets, work_conservation, ::testing::ValuesIn(every_preset), name_of);

class quiet_conservation : public every_round {};

TEST_P(quiet_conservation, what_waits_fits_nowhere_if_nobody_was_preempted) {
  // Each job is tried once in a round: room that a later preemption leaves is for the next round.
  std::size_t rounds = 0;
  for_seeds(600, [&](world_maker& maker) {
    const auto world = maker.make();
    const auto outcome = decide_fairly(world, GetParam());
    if (!outcome.what.preemptions.empty()) return;
    ++rounds;
    EXPECT_EQ(idle_place(world, after(world, outcome.rows, lost_jobs::end)), "");
  });
  EXPECT_GT(rounds, 50u);
}

/// Under `classic` and `current` a round may start a job and push it out again.
INSTANTIATE_TEST_SUITE_P(presets, quiet_conservation,
                         ::testing::Values(preset::argosy, preset::unified, preset::lottery),
                         name_of);

/// Where no evicted job comes before a queued one of a higher class, nothing is tried too early.
class full_conservation : public every_round {};

TEST_P(full_conservation, what_waits_fits_nowhere) {
  for_seeds(300, [](world_maker& maker) {
    const auto world = maker.make();
    const auto next = after(world, decide_fairly(world, GetParam()).rows, lost_jobs::end);
    EXPECT_EQ(idle_place(world, next), "");
  });
}

INSTANTIATE_TEST_SUITE_P(presets, full_conservation,
                         ::testing::Values(preset::unified, preset::lottery), name_of);

/// Jobs of one core run on one node, so that shares are whole cores, give or take one.
class divisible : public every_round {
 protected:
  static double weight_of(const test_world& world, const std::string& queue) {
    double all = 0;
    double own = 0;
    for (const auto& q : world.queues) {
      bool active = false;
      for (const auto& j : world.jobs) active = active || j.queue == q.name;
      all += active ? 1 / q.factor : 0;
      if (q.name == queue) own = 1 / q.factor;
    }
    return own / all;
  }
  static int wanted_by(const test_world& world, const std::string& queue) {
    int sum = 0;
    for (const auto& j : world.jobs) sum += j.queue == queue ? j.cpu : 0;
    return sum;
  }
  static test_world next_of(const test_world& world) {
    return after(world, decide_fairly(world, GetParam()).rows, lost_jobs::resubmitted);
  }
};

TEST_P(divisible, envy_freeness) {
  // A queue that waits would not have more with what another queue has, by their weights.
  for_seeds(300, [](world_maker& maker) {
    const auto world = maker.make_divisible(true);
    const auto next = next_of(world);
    for (const auto& q : world.queues) {
      if (next.used_by(q.name) == wanted_by(world, q.name)) continue;
      for (const auto& other : world.queues) {
        if (other.name == q.name) continue;
        // The other queue's last job may have tipped the scale.
        const auto theirs = (next.used_by(other.name) - 1) * other.factor;
        EXPECT_LE(theirs, (next.used_by(q.name) + 1) * q.factor + 1e-9) << world.text();
      }
    }
  });
}

TEST_P(divisible, pareto_efficiency) {
  // Nobody could have more without another having less: no core idles while anybody waits.
  for_seeds(300, [](world_maker& maker) {
    const auto world = maker.make_divisible(false);
    const auto next = next_of(world);
    const auto wanted = static_cast<int>(world.jobs.size());
    EXPECT_EQ(next.used_on("n"), std::min(wanted, world.nodes[0].cpu));
  });
}

TEST_P(divisible, strategy_proofness) {
  // A queue that asks for more than it needs gets no more jobs.
  for_seeds(300, [](world_maker& maker) {
    auto world = maker.make_divisible(true);
    const auto honest = next_of(world).running_of("q0");
    const auto more_cpu = 1 + static_cast<int>(maker.below(3));
    const auto more_memory = 1 + static_cast<int>(maker.below(400));
    for (auto& j : world.jobs) {
      if (j.queue != "q0" || !j.node.empty()) continue;
      j.cpu = more_cpu;
      j.memory = more_memory;
    }
    EXPECT_LE(next_of(world).running_of("q0"), honest) << world.text();
  });
}

TEST_P(divisible, sharing_incentive) {
  // No queue has less than with a part of the node of its own.
  for_seeds(300, [](world_maker& maker) {
    const auto world = maker.make_divisible(false);
    const auto next = next_of(world);
    for (const auto& q : world.queues) {
      const auto own = static_cast<int>(weight_of(world, q.name) * world.nodes[0].cpu);
      EXPECT_GE(next.used_by(q.name), std::min(own, wanted_by(world, q.name))) << world.text();
    }
  });
}

TEST_P(divisible, preemption_stability) {
  // A preempted job that comes again moves nobody, nor does a round in which nothing changed.
  int preempted = 0;
  for_seeds(300, [&](world_maker& maker) {
    const auto world = maker.make_divisible(false);
    const auto first = decide_fairly(world, GetParam());
    preempted += static_cast<int>(first.what.preemptions.size());
    for (const auto lost : {lost_jobs::end, lost_jobs::resubmitted}) {
      const auto second = decide_fairly(after(world, first.rows, lost), GetParam());
      EXPECT_EQ(second.rows, lines{}) << world.text();
    }
  });
  EXPECT_GT(preempted, 100);
}

/// The lottery preempts nobody, so that a queue that came too late must wait.
INSTANTIATE_TEST_SUITE_P(presets, divisible,
                         ::testing::Values(preset::argosy, preset::unified, preset::classic,
                                           preset::current),
                         name_of);

class soak : public every_round {};

TEST_P(soak, every_self_check_holds_through_2000_rounds) {
  // Jobs end and arrive; decide() fails the test on any violation.
  int started = 0;
  int preempted = 0;
  for_seeds(50, [&](world_maker& maker) {
    auto world = maker.make();
    int number = 0;
    for (int round = 0; round < 40; ++round) {
      const auto outcome = decide_fairly(world, GetParam());
      EXPECT_EQ(outcome.what.error, "");
      started += static_cast<int>(outcome.what.leases.size());
      preempted += static_cast<int>(outcome.what.preemptions.size());
      world = after(world, outcome.rows, lost_jobs::resubmitted);
      std::erase_if(world.jobs, [&](const test_job& j) {
        return (!j.node.empty() && maker.below(3) == 0) || maker.below(20) == 0;
      });
      for (int i = 0; i < 4; ++i) {
        auto& j = world.jobs.emplace_back();
        j.id = "x" + std::to_string(10000 + ++number);
        j.queue = world.queues[maker.below(world.queues.size())].name;
        j.class_name = std::array<const char*, 4>{"std", "urgent", "low", "std-np"}[maker.below(4)];
        j.cpu = static_cast<int>(1 + maker.below(5));
        j.submitted = round;
      }
      if (::testing::Test::HasFailure()) return;
    }
  });
  EXPECT_GT(started, 1000);
  EXPECT_GE(preempted, GetParam() == preset::lottery ? 0 : 100);
}

INSTANTIATE_TEST_SUITE_P(presets, soak, ::testing::ValuesIn(every_preset), name_of);

}  // namespace
}  // namespace argosy::scheduling
