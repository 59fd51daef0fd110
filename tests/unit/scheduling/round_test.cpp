// SPDX-License-Identifier: Apache-2.0
// Goal: the documents' worked examples hold, and plans say why. Method: small worlds with results
// computed by hand.
#include <array>
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "runtime/base/at_work.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

std::string forty_and_fifty() {
  std::string text =
      "N 0 n1 e 32000 1000000000000 0 - -\nN 1 n2 e 32000 1000000000000 0 - -\nQ A 1\nQ B 1\n";
  for (int i = 0; i < 40; ++i) {
    const auto id = "a" + std::to_string(100 + i);
    text += "J " + id + " A std 0 " + std::to_string(i) + " 1000 1 0 - - - - 1 -\n";
    text += "R " + id + (i < 32 ? " 0 " : " 1 ") + std::to_string(i) + " 1000\n";
  }
  for (int i = 0; i < 50; ++i)
    text += "J b" + std::to_string(100 + i) + " B std 0 " + std::to_string(i) +
            " 1000 1 0 - - - - 1 -\n";
  return text;
}

TEST(worked_example, forty_and_fifty_jobs_share_two_nodes) {
  for (const auto name : {preset::current, preset::argosy, preset::unified, preset::classic}) {
    for (const double fraction : {0.0, 1.0}) {
      const auto outcome =
          decide(forty_and_fifty(), name, [&](config& c) { c.protected_fraction = fraction; });
      EXPECT_EQ(outcome.what.leases.size(), 32u) << to_string(name);
      EXPECT_EQ(outcome.what.preemptions.size(), 8u) << to_string(name);
      auto waiting = refused_jobs(outcome.what);
      for (const auto& skip : outcome.what.skips) waiting += skip.jobs;
      EXPECT_EQ(waiting, 18u) << to_string(name);
      for (const auto& lost : outcome.what.preemptions) {
        EXPECT_EQ(lost.cause, preemption_cause::fair_share);
        EXPECT_FALSE(lost.preemptor.is_nil());
      }
    }
  }
}

/// How jobs of B choose between the two nodes of that example.
enum class packing { best_fit, by_queue };

struct shared_nodes {
  int kept = 0;     ///< Jobs of A that are back at their place.
  int lost = 0;     ///< Those that are not.
  int started = 0;  ///< Jobs of B.
};

/// The round of the documents, in which what was evicted leaves its room to whoever comes first:
/// the queue with less goes next, jobs of A may only return to their own node, and those of B go
/// where the packing says.
shared_nodes documented_round(packing how) {
  std::array<int, 2> free{32, 32};
  std::array<std::array<int, 2>, 2> jobs{};  // The jobs by queue and node.
  shared_nodes out;
  int returned = 0;
  const auto choose = [&](int best, int other) {
    const auto rank = [&](int node) {
      const auto own = jobs[1][node] > 0 && jobs[0][node] == 0;
      const auto empty = free[node] == 32;
      const int group = how == packing::best_fit ? 0 : own ? 0 : empty ? 1 : 2;
      return std::tuple(free[node] == 0, group, free[node]);
    };
    return rank(other) < rank(best) ? other : best;
  };
  while (returned < 40 || (out.started < 50 && free[0] + free[1] > 0)) {
    if (returned < 40 && (out.kept <= out.started || free[0] + free[1] == 0)) {
      const int home = returned++ < 32 ? 0 : 1;
      if (free[home] == 0) {
        ++out.lost;
        continue;
      }
      --free[home];
      ++jobs[0][home];
      ++out.kept;
      continue;
    }
    if (out.started == 50) continue;
    const int node = choose(0, 1);
    --free[node];
    ++jobs[1][node];
    ++out.started;
  }
  return out;
}

TEST(worked_example, forty_and_fifty_jobs_lose_eight_by_queue_and_sixteen_by_best_fit_alone) {
  const auto by_queue = documented_round(packing::by_queue);
  EXPECT_EQ(by_queue.lost, 8);
  EXPECT_EQ(by_queue.kept, 32);
  EXPECT_EQ(by_queue.started, 32);
  const auto by_fit = documented_round(packing::best_fit);
  EXPECT_EQ(by_fit.lost, 16);
  EXPECT_EQ(by_fit.kept, 24);
  EXPECT_EQ(by_fit.started, 40);
  // Here evicted jobs keep their room until another is given it, and noPreemption comes first: no
  // packing costs more than the eight that the shares ask for.
  for (const bool users : {false, true})
    for (const double fraction : {0.0, 1.0}) {
      const auto made = decide(forty_and_fifty(), preset::argosy, [&](config& conf) {
                          conf.protected_fraction = fraction;
                          conf.node_order = {node_key::no_preemption};
                          if (users)
                            conf.node_order.insert(conf.node_order.end(),
                                                   {node_key::sole_user_node, node_key::empty_node,
                                                    node_key::shared_node});
                          conf.node_order.push_back(node_key::best_fit);
                        }).what;
      EXPECT_EQ(made.preemptions.size(), 8U) << users << ' ' << fraction;
      EXPECT_EQ(made.leases.size(), 32U) << users << ' ' << fraction;
    }
}

TEST(worked_example, packing_by_queue_keeps_queues_apart_and_jobs_alike_together) {
  std::string text = worlds::node({.number = 0, .cpu = 32000}) +
                     worlds::node({.number = 1, .cpu = 32000}) + worlds::queue("A") +
                     worlds::queue("B");
  for (int i = 0; i < 32; ++i)
    for (const auto* queue : {"A", "B"})
      text += worlds::job({.id = queue + std::to_string(100 + i), .queue = queue, .submitted = i});
  const auto nodes_of = [&](bool by_queue) {
    std::map<std::string, std::set<std::string>> out;
    const auto made = decide(text, preset::argosy, [&](config& conf) {
      conf.node_order = {node_key::no_preemption};
      if (by_queue)
        conf.node_order.insert(
            conf.node_order.end(),
            {node_key::sole_user_node, node_key::empty_node, node_key::shared_node});
      conf.node_order.push_back(node_key::best_fit);
    });
    EXPECT_EQ(made.rows.size(), 64U);
    for (const auto& row : made.rows) out[row.substr(2, 1)].insert(row.substr(7, 2));
    return out;
  };
  using nodes = std::set<std::string>;
  // No job of one queue competes on a node with one of the other, and one node that is lost takes
  // all jobs of its queue with it.
  const auto apart = nodes_of(true);
  EXPECT_EQ(apart.at("A"), nodes{"n0"});
  EXPECT_EQ(apart.at("B"), nodes{"n1"});
  const auto mixed = nodes_of(false);
  EXPECT_EQ(mixed.at("A"), (nodes{"n0", "n1"}));
  EXPECT_EQ(mixed.at("B"), (nodes{"n0", "n1"}));
}

/// Decides queues with weights and demands in percent of a node of 100 cpu.
plan shares_of(const std::vector<std::tuple<std::string, std::string, int>>& queues) {
  std::string text = "N 0 n e 100000 100000 0 - -\n";
  for (const auto& [name, factor, demand] : queues) text += "Q " + name + " " + factor + "\n";
  int number = 0;
  for (const auto& [name, factor, demand] : queues)
    text += "J j" + std::to_string(++number) + " " + name + " std 0 1 " +
            std::to_string(demand * 1000) + " 1 0 - - - - 1 -\n";
  return decide(text, preset::current).what;
}

TEST(shares, surplus_flows_to_queues_that_want_more) {
  const auto what = shares_of({{"A", "1", 20}, {"B", "1", 100}, {"C", "0.5", 30}});
  ASSERT_EQ(what.queues.size(), 3u);
  EXPECT_DOUBLE_EQ(what.queues[0].fair_share, 0.25);
  EXPECT_DOUBLE_EQ(what.queues[0].capped_share, 0.20);
  EXPECT_NEAR(what.queues[0].uncapped_share, 0.35, 1e-9);
  EXPECT_DOUBLE_EQ(what.queues[1].fair_share, 0.25);
  EXPECT_NEAR(what.queues[1].capped_share, 0.50, 1e-9);
  EXPECT_NEAR(what.queues[1].uncapped_share, 0.50, 1e-9);
  EXPECT_DOUBLE_EQ(what.queues[2].fair_share, 0.50);
  EXPECT_DOUBLE_EQ(what.queues[2].capped_share, 0.30);
  EXPECT_NEAR(what.queues[2].uncapped_share, 0.5333333333, 1e-9);
}

TEST(shares, two_modest_queues_leave_the_rest_to_one) {
  const auto what = shares_of({{"A", "1", 5}, {"B", "1", 5}, {"C", "1", 100}});
  EXPECT_NEAR(what.queues[0].fair_share, 1.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(what.queues[0].capped_share, 0.05);
  EXPECT_NEAR(what.queues[0].uncapped_share, 0.475, 1e-9);
  EXPECT_NEAR(what.queues[2].capped_share, 0.90, 1e-9);
  EXPECT_NEAR(what.queues[2].uncapped_share, 0.90, 1e-9);
}

/// Expects of 32 cores, 10 not preemptible and 20 preemptible, 22 for the higher class and 2 for
/// the lower.
void expect_22_and_2(preset name, const std::string& high, const std::string& low,
                     int high_priority, int low_priority,
                     const std::function<void(config&)>& adjust) {
  const std::string world =
      "C protectedFractionOfFairShare 9\nC indexedResources cpu=1m,memory=1\nN 0 n e 32000 1000 0 "
      "- -\nQ A 1\nQ B 1\n"
      "J d A " +
      high + " 0 1 10000 1 0 - - - - 1 -\nR d 0 1 " + std::to_string(high_priority) + "\nJ p A " +
      low + " 0 1 20000 1 0 - - - - 1 -\nR p 0 1 " + std::to_string(low_priority) + "\n";
  const auto fits = [&](const std::string& cls, int cpu) {
    return !decide(world + "J x B " + cls + " 0 2 " + std::to_string(cpu) + " 1 0 - - - - 1 -\n",
                   name, adjust)
                .what.leases.empty();
  };
  EXPECT_TRUE(fits(high, 22000)) << to_string(name);
  EXPECT_FALSE(fits(high, 22001)) << to_string(name);
  EXPECT_TRUE(fits(low, 2000)) << to_string(name);
  EXPECT_FALSE(fits(low, 2001)) << to_string(name);
}

TEST(worked_example, urgent_job_sees_what_it_may_push_out) {
  for (const auto name : {preset::current, preset::argosy, preset::classic})
    expect_22_and_2(name, "urgent", "low", 2000, 500, {});
}

TEST(worked_example, the_shipped_classes_see_22_and_2_cores) {
  for (const auto name : {preset::current, preset::argosy, preset::classic})
    expect_22_and_2(name, "armada-default", "armada-preemptible", 30000, 20000, [&](config& conf) {
      const auto shipped = default_config(name);
      conf.classes = shipped.classes;
      conf.default_class = shipped.default_class;
    });
}

TEST(reasons, name_what_stood_in_the_way) {
  const std::string node = "N 0 n e 4000 100000 0 - -\n";
  const auto job = [](const std::string& id, int cpu) {
    return "J " + id + " a std 0 1 " + std::to_string(cpu) + " 1 0 - - - - 1 -\n";
  };
  const auto reason_of = [&](const std::string& text) {
    const auto outcome = decide(text);
    if (!outcome.what.refusals.empty()) return outcome.what.refusals.front().code;
    return outcome.what.skips.empty() ? reason::placed : outcome.what.skips.front().code;
  };
  EXPECT_EQ(reason_of(node + "Q a 1\n" + job("x", 5000)), reason::job_does_not_fit);
  EXPECT_EQ(reason_of(node + "Q a 1 cordoned\n" + job("x", 1000)), reason::queue_cordoned);
  EXPECT_EQ(reason_of("C maximumSchedulingBurst 0\n" + node + "Q a 1\n" + job("x", 1000)),
            reason::global_rate_limit);
  EXPECT_EQ(reason_of("C maximumPerQueueSchedulingBurst 0\n" + node + "Q a 1\n" + job("x", 1000)),
            reason::queue_rate_limit);
  EXPECT_EQ(reason_of(node + "Q a 1\nL a std cpu 0.1\n" + job("x", 1000)), reason::queue_limit);
  EXPECT_EQ(reason_of(node + "Q a 1\nJ x a std 0 1 1000 1 0 - - - g 2 -\n"),
            reason::gang_incomplete);
}

TEST(reasons, equal_jobs_are_counted_and_not_tried_again) {
  std::string text = "N 0 n e 4000 100000 0 - -\nQ a 1\n";
  for (int i = 0; i < 10; ++i)
    text += "J x" + std::to_string(i) + " a std 0 1 5000 1 0 - - - - 1 -\n";
  const auto what = decide(text).what;
  EXPECT_EQ(what.refusals.size(), 1u);
  ASSERT_EQ(what.skips.size(), 1u);
  EXPECT_EQ(what.skips.front().jobs, 9u);
  EXPECT_EQ(what.skips.front().code, reason::job_does_not_fit);
}

TEST(gang, starts_with_its_minimum_and_fails_the_rest) {
  auto conf = bench_config(preset::argosy);
  snapshot world(conf);
  node_row node{"n", "e", "default", {{"cpu", 3000}, {"memory", 1000}}, {}, {}, {}, false};
  ASSERT_TRUE(world.upsert_node(node));
  ASSERT_TRUE(world.upsert_queue({"q", 1.0, false, {}}));
  const auto shape = world.intern({"std", {{"cpu", 1000}}, {}, {}, {}});
  ASSERT_TRUE(shape);
  for (std::uint8_t i = 1; i <= 5; ++i) {
    job_row job;
    job.id.bytes[15] = i;
    job.queue = "q";
    job.shape = *shape;
    job.gang = gang_row{"g", 5, 3, ""};
    ASSERT_TRUE(world.upsert_job(job));
  }
  world.settle();
  const auto what = schedule(world, conf, {});
  EXPECT_EQ(what.leases.size(), 3u);
  EXPECT_EQ(what.failed.size(), 2u);
}

TEST(round, second_round_on_its_own_outcome_changes_nothing) {
  auto conf = bench_config(preset::argosy);
  auto world = read_snap1(forty_and_fifty(), conf);
  ASSERT_TRUE(world);
  auto& from = world->jobs_and_nodes;
  const auto first = schedule(from, conf, {});
  const auto shape = from.job_shape(first.leases.front().job_index);
  for (const auto& lease : first.leases) {
    job_row job;
    job.id = lease.job;
    job.queue = "B";
    job.shape = shape;
    job.run = run_row{std::string(from.node_id(lease.node)), 1000, lease.priority, "default"};
    ASSERT_TRUE(from.upsert_job(job));
  }
  // Each preempted job is submitted again.
  for (const auto& lost : first.preemptions) {
    job_row job;
    job.id = lost.job;
    job.queue = "A";
    job.shape = shape;
    ASSERT_TRUE(from.upsert_job(job));
  }
  from.settle();
  const auto second = schedule(from, conf, {});
  EXPECT_TRUE(second.leases.empty());
  EXPECT_TRUE(second.preemptions.empty());
}

/// Has two pools of one node each, and a job of 1 cpu that may run in the named pools.
struct two_pools {
  config conf = bench_config(preset::argosy);
  snapshot world{conf};

  two_pools() {
    for (const char* pool : {"left", "right"}) {
      node_row node;
      node.id = std::string("node-") + pool;
      node.executor = std::string("cluster-") + pool;
      node.pool = pool;
      node.total = {{"cpu", 4000}, {"memory", 1000}};
      EXPECT_TRUE(world.upsert_node(node));
    }
    EXPECT_TRUE(world.upsert_queue({"q", 1.0, false, {}}));
  }

  void add(std::uint8_t number, std::vector<std::string> pools) {
    job_row job;
    job.id.bytes[15] = number;
    job.queue = "q";
    job.shape = *world.intern({"std", {{"cpu", 1000}}, {}, {}, {}});
    job.pools = std::move(pools);
    EXPECT_TRUE(world.upsert_job(job));
    world.settle();
  }

  [[nodiscard]] plan in(const std::string& pool, const std::vector<std::string>& closed = {}) {
    round_params params;
    params.pool = pool;
    params.closed_executors = closed;
    return schedule(world, conf, params);
  }
};

TEST(pools, a_job_starts_only_where_it_may_run) {
  two_pools pools;
  pools.add(1, {"left"});
  pools.add(2, {});
  EXPECT_EQ(pools.in("left").leases.size(), 2u);
  EXPECT_EQ(pools.in("right").leases.size(), 1u);
  EXPECT_TRUE(pools.in("elsewhere").leases.empty());
}

TEST(pools, a_closed_executor_gets_no_new_jobs) {
  two_pools pools;
  pools.add(1, {});
  EXPECT_TRUE(pools.in("left", {"cluster-left"}).leases.empty());
  EXPECT_EQ(pools.in("left", {"cluster-right"}).leases.size(), 1u);
}

TEST(limits, a_round_stops_after_its_decisions) {
  two_pools pools;
  for (std::uint8_t i = 1; i <= 4; ++i) pools.add(i, {});
  pools.conf.max_new_decisions = 2;
  const auto what = pools.in("left");
  EXPECT_EQ(what.leases.size(), 2u);
  ASSERT_EQ(what.refusals.size(), 1u);
  EXPECT_EQ(what.refusals.front().code, reason::round_time_limit);
}

TEST(limits, short_jobs_that_just_ended_still_count_in_the_order) {
  const std::string text =
      "N 0 n e 1000 1000 0 - -\nQ a 1\nQ b 1\n"
      "J ja a std 0 1 1000 1 0 - - - - 1 -\nJ jb b std 0 1 1000 1 0 - - - - 1 -\n";
  auto world = read_snap1(text, bench_config(preset::argosy));
  ASSERT_TRUE(world);
  EXPECT_EQ(decisions(*world, schedule(world->jobs_and_nodes, world->conf, world->params)),
            "S ja n 1000\n");
  world->params.penalties = {{"a", {{"cpu", 500}}}};
  EXPECT_EQ(decisions(*world, schedule(world->jobs_and_nodes, world->conf, world->params)),
            "S jb n 1000\n");
}

TEST(work_note_of_a_round, names_the_job_that_is_tried_and_none_afterwards) {
  work_slot slot;
  std::atomic<bool> seen{false};
  std::thread watcher{[&] {
    while (slot.read().job.is_nil()) std::this_thread::yield();
    seen = true;
  }};
  const at_work noted{&slot, work_kind::round, 7};
  while (!seen) EXPECT_EQ(decide(forty_and_fifty()).what.leases.size(), 32u);
  watcher.join();
  EXPECT_EQ(slot.read(), (work_note{work_kind::round, 7, {}}));
}

}  // namespace
}  // namespace argosy::scheduling
