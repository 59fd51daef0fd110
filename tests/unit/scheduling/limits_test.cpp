// SPDX-License-Identifier: Apache-2.0
// Goal: limits that few configurations set hold: decisions in a round and in a queue, caps and
// penalties, pods on a node. Method: small worlds with the key set.
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

std::string node(int cpu) {
  return worlds::node({.name = "n", .cpu = cpu});
}

std::string jobs(const std::string& queue, int count, int cpu = 1000) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += worlds::job({.id = queue + std::to_string(100 + i),
                         .queue = queue,
                         .submitted = i,
                         .cpu = cpu,
                         .memory = 1 + i});
  return text;
}

std::string queues(std::initializer_list<const char*> names) {
  std::string text;
  for (const auto* name : names) text += worlds::queue(name);
  return text;
}

/// A job of class std of this queue.
std::string job(const std::string& id, const std::string& queue, int cpu,
                const std::string& cls = "std") {
  return worlds::job({.id = id, .queue = queue, .priority_class = cls, .cpu = cpu});
}

std::string run(const std::string& id, int node = 0, int priority = 1000) {
  return worlds::run({.job = id, .node = node, .priority = priority});
}

std::vector<std::uint64_t> leased(const plan& what) {
  std::vector<std::uint64_t> counts;
  for (const auto& queue : what.queues) counts.push_back(queue.leased);
  return counts;
}

using counts = std::vector<std::uint64_t>;

TEST(decisions, of_a_round_end_it_for_all_queues) {
  const auto text = node(100'000) + queues({"a", "b"}) + jobs("a", 4) + jobs("b", 4);
  const auto what =
      decide(text, preset::argosy, [](config& conf) { conf.max_new_decisions = 3; }).what;
  EXPECT_EQ(leased(what), (counts{2, 1}));
  ASSERT_EQ(what.refusals.size(), 1u);
  EXPECT_EQ(what.refusals[0].code, reason::round_time_limit);
  for (const auto& skip : what.skips) EXPECT_EQ(skip.code, reason::round_time_limit);
}

TEST(decisions, of_a_queue_end_that_queue_alone) {
  const auto text = node(100'000) + queues({"a", "b"}) + jobs("a", 4) + jobs("b", 1);
  const auto what =
      decide(text, preset::argosy, [](config& conf) { conf.max_new_decisions_queue = 2; }).what;
  EXPECT_EQ(leased(what), (counts{2, 1}));
  ASSERT_EQ(what.refusals.size(), 1u);
  EXPECT_EQ(what.refusals[0].code, reason::queue_time_limit);
}

TEST(decisions, count_gangs_that_fit_nowhere_too) {
  // Two members of a gang need as much as there is, but not as it lies.
  std::string text = worlds::node({.number = 0, .cpu = 3000}) +
                     worlds::node({.number = 1, .cpu = 1000}) + queues({"a"}) +
                     worlds::job({.id = "z", .queue = "a", .submitted = 9, .memory = 1});
  for (const auto* member : {"a0", "a1", "b0", "b1", "c0", "c1"})
    text += worlds::job({.id = member,
                         .queue = "a",
                         .cpu = 2000,
                         .gang = std::string(1, member[0]),
                         .cardinality = 2});
  const auto limited = [&](std::uint64_t limit) {
    return decide(text, preset::argosy, [&](config& conf) { conf.max_new_decisions = limit; }).rows;
  };
  EXPECT_EQ(limited(3), lines{});
  EXPECT_EQ(limited(4), (lines{"S z n1 1000"}));
}

TEST(decisions, of_returning_jobs_are_free) {
  const auto text = node(4000) + queues({"a"}) +
                    worlds::job({.id = "r", .queue = "a", .memory = 1}) + run("r") + jobs("a", 2);
  const auto outcome = decide(text, preset::current, [](config& conf) {
    conf.protected_fraction = 0;
    conf.max_new_decisions = 1;
  });
  EXPECT_EQ(outcome.what.rescheduled, 1u);
  EXPECT_EQ(outcome.rows, (lines{"S a100 n 1000"}));
}

TEST(amounts, of_however_many_nodes_fail_no_round) {
  // 600 nodes have the most that a node may report; the memory of 512 of them is all that counts.
  std::string text = queues({"a", "b"}) + job("small", "a", 1000);
  for (int i = 0; i < 600; ++i)
    text += worlds::node({.number = i, .cpu = 1000, .memory = std::int64_t{1} << 53});
  // Each takes an eighth of a node's memory; the small job needs none and fits on any node.
  for (int i = 0; i < 5000; ++i)
    text += worlds::job(
        {.id = "b" + std::to_string(i), .queue = "b", .cpu = 100, .memory = std::int64_t{1} << 50});
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::lottery}) {
    const auto made = decide(text, name).what;
    EXPECT_EQ(made.error + made.violation, "") << to_string(name);
    EXPECT_EQ(made.leases.size(), 4097u) << to_string(name);
  }
}

TEST(round_cap, lets_one_gang_overshoot_and_ends_the_round) {
  const auto text = node(10'000) + queues({"a"}) + jobs("a", 10);
  const auto what = decide(text, preset::argosy, [](config& conf) {
                      conf.max_fraction_to_schedule = {{"cpu", 0.25}};
                    }).what;
  EXPECT_EQ(what.leases.size(), 3u);  // With 2 cpu the queue is not above 2.5, with 3 it is.
  EXPECT_EQ(what.refusals.back().code, reason::max_resources_per_round);
}

TEST(short_job_penalty, moves_a_queue_back_but_leaves_its_share) {
  auto world = read_snap1(node(2000) + queues({"a", "b"}) + jobs("a", 3) + jobs("b", 3),
                          bench_config(preset::argosy));
  ASSERT_TRUE(world);
  world->params.penalties = {{"a", {{"cpu", 1500}}}};
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(leased(what), (counts{0, 2}));
  EXPECT_DOUBLE_EQ(what.queues[0].cost_before, 0);
}

TEST(preemption_budget, is_not_charged_for_jobs_that_come_back) {
  // a's job takes the whole node from three jobs, and then loses it to the urgent one of c, which
  // leaves room for all three.
  const auto world = worlds::key("rankAtShare", "false") + node(4000) + queues({"a", "c"}) +
                     worlds::queue("b", 100) + job("b1", "b", 1000) + run("b1") +
                     job("b2", "b", 1000) + run("b2") + job("low", "c", 1000, "low") +
                     run("low", 0, 500) + job("x", "a", 4000);
  const auto outcome = decide(world + job("u", "c", 1000, "urgent"), preset::argosy);
  EXPECT_EQ(outcome.rows, (lines{"S u n 2000"}));
  EXPECT_EQ(outcome.what.rescheduled, 3u);
  EXPECT_EQ(outcome.what.preemption_tokens_used, 0u);
  // With a job of 2 cpu instead, one of the three cannot start.
  const auto two_back = decide(world + job("u", "c", 2000, "urgent"), preset::argosy);
  EXPECT_EQ(two_back.what.preemptions.size(), 1u);
  EXPECT_EQ(two_back.what.preemption_tokens_used, 1u);
}

TEST(queue_order, follows_what_urgency_takes_from_a_queue) {
  // b runs 1 cpu until the urgent job of c takes its node; then b is as poor as d and before it.
  const auto text = worlds::node({.name = "n1", .cpu = 1000}) +
                    worlds::node({.number = 1, .name = "n2", .cpu = 3000}) +
                    queues({"b", "c", "d"}) + job("b0", "b", 1000) + run("b0", 1) +
                    job("u", "c", 3000, "urgent") + job("b1", "b", 1000) + job("d1", "d", 1000);
  EXPECT_EQ(decide(text, preset::argosy, [](config& conf) { conf.protected_fraction = 9; }).rows,
            (lines{"P b0 n2", "S b1 n1 1000", "S u n2 2000"}));
}

TEST(preferring_large_jobs, comes_after_the_budget) {
  // Both are within their share and at the same cost, so that the queue with the larger job is
  // first.
  const auto text = node(4000) + queues({"a", "b"}) + jobs("a", 1, 1000) + jobs("b", 1, 2000);
  auto world = read_snap1(text + worlds::key("maximumSchedulingBurst", "1") +
                              worlds::key("enablePreferLargeJobOrdering", "true"),
                          bench_config(preset::argosy));
  ASSERT_TRUE(world);
  EXPECT_EQ(decisions(*world, schedule(world->jobs_and_nodes, world->conf, world->params)),
            "S b100 n 1000\n");
}

/// Decides for two nodes, one of which reports how many pods it takes.
plan with_pods(std::optional<std::int64_t> pods, int jobs_of_a, bool tracked = true) {
  auto conf = bench_config(preset::argosy);
  conf.pod_limits = tracked;
  if (tracked) conf.resources.push_back({std::string(pod_resource), 1000});
  snapshot world(conf);
  node_row row;
  row.id = "n";
  row.executor = "e";
  row.pool = "default";
  row.total = {{"cpu", 100'000}, {"memory", 1000}};
  if (pods) row.total.emplace_back(pod_resource, *pods);
  EXPECT_TRUE(world.upsert_node(row));
  EXPECT_TRUE(world.upsert_queue({"a", 1.0, false, {}}));
  const auto shape = world.intern({"std", {{"cpu", 1000}}, {}, {}, {}});
  EXPECT_TRUE(shape);
  for (int i = 0; i < jobs_of_a; ++i) {
    job_row job;
    job.id.bytes[15] = static_cast<std::uint8_t>(i + 1);
    job.queue = "a";
    job.shape = *shape;
    if (i == 0) job.run = run_row{"n", 1, 1000, "default"};
    EXPECT_TRUE(world.upsert_job(job));
  }
  world.settle();
  auto what = schedule(world, conf, {});
  EXPECT_EQ(what.error + what.violation, "");
  return what;
}

TEST(pods, on_a_node_are_limited) {
  EXPECT_EQ(with_pods(5, 20).leases.size(), 4u);  // One pod runs there already.
  EXPECT_EQ(with_pods(5, 3).leases.size(), 2u);
}

TEST(pods, are_unlimited_on_nodes_that_do_not_report_them) {
  EXPECT_EQ(with_pods({}, 20).leases.size(), 19u);
}

TEST(pods, cost_their_queue_nothing) {
  EXPECT_DOUBLE_EQ(with_pods(1, 1).queues.front().cost_before, 0.01);
}

TEST(pods, count_only_if_so_configured) {
  EXPECT_EQ(with_pods(5, 20, false).leases.size(), 19u);
}

TEST(minimum_cardinality, may_be_switched_off) {
  std::string text = node(3000) + queues({"a"});
  for (int i = 0; i < 5; ++i)
    text += worlds::job(
        {.id = "x" + std::to_string(i), .queue = "a", .gang = "g", .cardinality = 5, .minimum = 3});
  EXPECT_EQ(decide(text, preset::argosy).what.leases.size(), 3u);
  EXPECT_EQ(decide(text, preset::argosy).what.failed.size(), 2u);
  const auto off = [](config& conf) { conf.minimum_cardinality = false; };
  EXPECT_EQ(decide(text, preset::argosy, off).rows, lines{});
  EXPECT_EQ(decide(text, preset::current).rows, lines{});
  const auto on = [](config& conf) { conf.minimum_cardinality = true; };
  EXPECT_EQ(decide(text, preset::current, on).what.leases.size(), 3u);
}

TEST(minimum_cardinality, holds_though_an_equal_job_fitted_nowhere) {
  const auto member = [](const std::string& id, int cpu) {
    return worlds::job({.id = id,
                        .queue = "b",
                        .submitted = 2,
                        .cpu = cpu,
                        .memory = 1,
                        .gang = "g",
                        .cardinality = 3,
                        .minimum = 2});
  };
  const auto gang = node(4000) + queues({"a", "b"}) + member("m1", 1000) + member("m2", 1000) +
                    member("m3", 8000);
  const auto single = [](const std::string& queue) {
    return worlds::job({.id = "s", .queue = queue, .cpu = 8000, .memory = 1});
  };
  for (const auto& more : {std::string(), single("a"), single("b")}) {
    const auto outcome = decide(gang + more, preset::argosy);
    EXPECT_EQ(outcome.rows, (lines{"S m1 n 1000", "S m2 n 1000"})) << more;
    EXPECT_EQ(outcome.what.failed.size(), 1u) << more;
  }
  // If the gang has to start as a whole, it is known that nothing of it fits.
  const auto off = [](config& conf) { conf.minimum_cardinality = false; };
  EXPECT_EQ(decide(gang + single("b"), preset::argosy, off).rows, lines{});
  EXPECT_EQ(decide(gang + single("b"), preset::current).what.skips.size(), 1u);
}

TEST(slices, try_as_many_gangs_as_the_batch_allows) {
  // Queue a may fill its slice of 2 cpu only with what its first job leaves: larger jobs stand
  // before the small one, and the batch decides whether it is reached in the slice.
  const auto text =
      worlds::node({.name = "n", .memory = 100'000}) + queues({"a", "b"}) + jobs("a", 3, 3000) +
      worlds::job({.id = "a9", .queue = "a", .priority = 9, .submitted = 9}) + jobs("b", 1, 1000);
  const auto slice_only = [&](std::uint32_t batch) {
    auto conf = bench_config(preset::lottery);
    conf.slice_batch = batch;
    conf.max_new_decisions = 1;  // The first decision shows what the slice of a could take.
    auto world = read_snap1(text, conf);
    EXPECT_TRUE(world);
    return decisions(*world, schedule(world->jobs_and_nodes, conf, world->params));
  };
  EXPECT_EQ(slice_only(4), "S a9 n 1000\n");
  EXPECT_EQ(slice_only(2), "S b100 n 1000\n");
}

}  // namespace
}  // namespace argosy::scheduling
