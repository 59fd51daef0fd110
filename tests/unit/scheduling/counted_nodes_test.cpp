// SPDX-License-Identifier: Apache-2.0
// Goal: of nodes that take no new jobs, and of nodes that no competing job could use, only what
// runs there counts in the total, the shares and the limits of a pool. Method: small worlds with
// such nodes, and the same worlds without them.
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

const std::string balanced = worlds::key("eviction.protectedFractionOfFairShare", "1");
const std::initializer_list<preset> fair_presets = {preset::argosy, preset::unified,
                                                    preset::classic};

/// So many jobs of one core, which run on the node or wait.
std::string some(const std::string& queue, int first, int count, int node = -1,
                 const std::string& tolerations = "-") {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    const auto id = queue + std::to_string(1000 + i);
    text += worlds::job({.id = id, .queue = queue, .submitted = i, .tolerations = tolerations});
    if (node >= 0) text += worlds::run({.job = id, .node = node});
  }
  return text;
}

std::vector<std::int64_t> cores(const plan& what) {
  std::vector<std::int64_t> out;
  for (const auto& each : what.queues) out.push_back(each.used_after[0] / 1000);
  return out;
}

using numbers = std::vector<std::int64_t>;

/// Queue a fills two nodes of four cores; b has a core on each of two closed nodes, and waits.
std::string drained(const std::string& closed_cluster, bool cordoned) {
  auto text = balanced + worlds::queue("a") + worlds::queue("b") + some("a", 0, 4, 0) +
              some("a", 4, 4, 1) + some("b", 0, 1, 2) + some("b", 1, 1, 3) + some("b", 2, 20);
  for (int i = 0; i < 4; ++i)
    text += worlds::node({.number = i,
                          .cluster = i < 2 ? "e" : closed_cluster,
                          .memory = 1'000'000,
                          .unschedulable = i >= 2 && cordoned});
  return text;
}

TEST(closed_nodes, count_with_what_runs_on_them_and_no_more) {
  // Ten cores are in use or to be had, so that each queue is due five.
  for (const auto& text :
       {drained("e", true), drained("far", false) + worlds::key("closedExecutors", "far")})
    for (const auto name : fair_presets) {
      const auto what = decide(text, name).what;
      EXPECT_EQ(what.pool_total[0], 10'000) << to_string(name);
      EXPECT_EQ(cores(what), (numbers{5, 5})) << to_string(name);
    }
  EXPECT_EQ(decide(drained("e", true), preset::current).what.pool_total[0], 16'000);
}

TEST(closed_nodes, leave_the_total_without_a_jump) {
  std::vector<std::int64_t> totals;
  for (int left = 2; left >= 0; --left)
    totals.push_back(decide(worlds::node({}) + worlds::node({.number = 1, .unschedulable = true}) +
                            worlds::queue("a") + some("a", 0, 1) + some("a", 1, left, 1))
                         .what.pool_total[0]);
  EXPECT_EQ(totals, (numbers{6000, 5000, 4000}));
}

TEST(closed_nodes, are_no_part_of_limits) {
  const auto text = worlds::node({}) + worlds::node({.number = 1, .unschedulable = true}) +
                    worlds::queue("a") + some("a", 0, 1, 1) + some("a", 1, 9);
  const auto what = decide(text, preset::argosy, [](config& conf) {
                      conf.max_fraction_to_schedule = {{"cpu", 0.4}};
                    }).what;
  // A round that has started two of five cores is at its cap, and the next gang takes it beyond.
  EXPECT_EQ(what.leases.size(), 3u);
}

/// Two queues on a node of four cores; `island` and its size are in the second node.
std::string beside(const std::string& island) {
  return balanced + worlds::queue("a") + worlds::queue("b") + some("a", 0, 4, 0) + some("b", 0, 4) +
         worlds::node({.memory = 1'000'000}) + island;
}

TEST(islands, do_not_count_for_those_who_cannot_use_them) {
  const auto tainted = worlds::node(
      {.number = 1, .cpu = 90'000, .memory = 1'000'000, .taints = "gpu=true:NoSchedule"});
  for (const auto name : fair_presets) {
    const auto alone = decide(beside(""), name).rows;
    EXPECT_EQ(alone.size(), 4u) << to_string(name);
    EXPECT_EQ(decide(beside(tainted), name).rows, alone) << to_string(name);
    EXPECT_EQ(
        decide(beside(worlds::node({.number = 1, .cpu = 900, .memory = 1'000'000})), name).rows,
        alone)
        << "a node that is too small for every job, under " << to_string(name);
  }
  // What runs there counts: a has five of nine cores, and is due four and a half.
  const auto visited = beside(tainted) + some("a", 10, 1, 1);
  EXPECT_EQ(decide(visited).what.pool_total[0], 5000);
}

TEST(islands, count_once_a_competing_job_could_use_them) {
  const auto tainted = worlds::node(
      {.number = 1, .cpu = 90'000, .memory = 1'000'000, .taints = "gpu=true:NoSchedule"});
  const auto with = [&](const std::string& more) {
    return decide(beside(tainted) + more).what.pool_total[0];
  };
  EXPECT_EQ(with(some("b", 50, 1, -1, "gpu=true:NoSchedule")), 94'000);
  EXPECT_EQ(with(some("b", 50, 1, 0, "gpu=true:NoSchedule")), 94'000);
  EXPECT_EQ(with(worlds::queue("c", 1, true) + some("c", 50, 1, -1, "gpu=true:NoSchedule")), 4000);
  EXPECT_EQ(with(worlds::job({.id = "z",
                              .queue = "b",
                              .submitted = 99,
                              .cpu = 95'000,
                              .tolerations = "gpu=true:NoSchedule"})),
            4000);
}

TEST(overfull_nodes, are_open_to_whoever_makes_room) {
  // Six cores run where there are four.
  auto text = worlds::node({}) + worlds::queue("a") + worlds::queue("b");
  for (int i = 0; i < 6; ++i)
    text += worlds::job({.id = "a" + std::to_string(i), .queue = "a", .priority_class = "low"}) +
            worlds::run({.job = "a" + std::to_string(i), .priority = 500});
  text += worlds::job({.id = "u", .queue = "b", .priority_class = "urgent"});
  for (const auto name : fair_presets) {
    const auto made = decide(text, name, [](config& conf) { conf.protected_fraction = 2; });
    EXPECT_EQ(made.what.leases.size(), 1u) << to_string(name);
    EXPECT_EQ(made.what.preemptions.size(), 3u) << to_string(name);
  }
}

}  // namespace
}  // namespace argosy::scheduling
