// SPDX-License-Identifier: Apache-2.0
// Goal: a world that is written as SNAP1 reads back to the same decisions under the same
// configuration, whatever it was read with. Method: the minimal examples and a world of two pools,
// written and read again over the configuration of another preset.
#include <filesystem>

#include "runtime/scheduling/keys.hpp"
#include "runtime/scheduling/tables.hpp"
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

/// Decisions by ids, since names change when a world is written.
struct outcome {
  std::vector<std::string> rows;
  /// Failures are compared without their messages, which name gangs, whose names change.
  bool failed = false;
  std::vector<double> shares;

  friend bool operator==(const outcome&, const outcome&) = default;
};

outcome decide_by_number(const snap1_world& world) {
  const auto what = schedule(world.jobs_and_nodes, world.conf, world.params);
  const auto& from = world.jobs_and_nodes;
  outcome out;
  out.failed = !what.error.empty() || !what.violation.empty();
  for (const auto& lease : what.leases)
    out.rows.push_back("S " + to_string(lease.job) + " " + std::string(from.node_id(lease.node)) +
                       " " + std::to_string(lease.priority));
  for (const auto& lost : what.preemptions) out.rows.push_back("P " + to_string(lost.job));
  std::sort(out.rows.begin(), out.rows.end());
  for (const auto& queue : what.queues) out.shares.push_back(queue.capped_share);
  return out;
}

/// A configuration with every key set, so that a key that is not written is noticed.
config busy_config(preset name) {
  auto conf = default_config(name);
  conf.cost_multipliers = {{"cpu", 7}};
  conf.default_tolerations = {{"left", "over", false, "NoExecute"}};
  conf.default_uniformity_label = "left-over";
  conf.node_types = {{"left", {{"over", "", "NoSchedule"}}}};
  conf.classes.front().away = {{5, "left"}};
  conf.floating = {{"left-over", 3, {"left"}}};
  conf.indexed_labels = conf.indexed_taints = conf.unscheduled_resources = {"left-over"};
  conf.away_pools = conf.guest_pools = {"left-over"};
  conf.max_fraction_to_schedule = {{"memory", 0.5}};
  conf.burst = conf.queue_burst = conf.preemption_burst = 17;
  conf.max_lookback = conf.max_new_decisions = conf.max_new_decisions_queue = 19;
  conf.slice_batch = 23;
  conf.usage_half_time_ns = conf.short_job_cutoff_ns = conf.max_draw_time_ns = 29;
  return conf;
}

/// The lists of structs of a configuration, one entry a line; the table of keys has all other keys.
lines lists_of(const config& conf) {
  lines out;
  const auto put = [&](std::initializer_list<std::string> parts) {
    auto& row = out.emplace_back();
    for (const auto& part : parts) row += part + "|";
  };
  const auto put_fractions = [&](const std::string& key, const fraction_list& list) {
    for (const auto& [name, share] : list) put({key, name, std::to_string(share)});
  };
  for (const auto& e : conf.resources) put({"resource", e.name, std::to_string(e.milli_per_step)});
  for (const auto& e : conf.floating) {
    put({"floating", e.name, std::to_string(e.total)});
    for (const auto& pool : e.pools) put({"its pool", pool});
  }
  for (const auto& e : conf.classes) {
    put({"class", e.name, std::to_string(e.priority), std::to_string(e.fair_share_preemptible),
         std::to_string(e.urgency_preemptible)});
    for (const auto& away : e.away) put({"away", std::to_string(away.priority), away.node_type});
    put_fractions("limit", e.queue_limit);
  }
  for (const auto& e : conf.node_types) {
    put({"type", e.name});
    for (const auto& spot : e.taints) put({"taint", spot.key, spot.value, spot.effect});
  }
  for (const auto& e : conf.indexed_resources)
    put({"indexed", e.name, std::to_string(e.resolution)});
  for (const auto& e : conf.default_tolerations)
    put({"toleration", e.key, e.value, std::to_string(e.exists), e.effect});
  return out;
}

void expect_same_config(const config& a, const config& b, const std::string& what) {
  EXPECT_EQ(lists_of(a), lists_of(b)) << what;
  for (const auto& key : all_keys())
    if (key.has_value()) {
      EXPECT_EQ(key.get(a), key.get(b)) << what << " " << key.path;
    }
}

/// Ids count the jobs in the order of their names, which writing keeps, so that ids stay the same.
void expect_same(const snap1_world& world, const std::string& what) {
  const auto text = write_snap1(world.jobs_and_nodes, world.conf, world.params);
  for (const auto other : {preset::argosy, preset::lottery}) {
    const auto again = read_snap1(text, busy_config(other));
    ASSERT_TRUE(again) << what << ": " << again.error().detail;
    expect_same_config(world.conf, again->conf, what);
    EXPECT_EQ(decide_by_number(world), decide_by_number(*again)) << what;
    EXPECT_EQ(write_snap1(again->jobs_and_nodes, again->conf, again->params), text) << what;
  }
}

const std::vector<preset> all_presets{preset::argosy, preset::current, preset::unified,
                                      preset::classic, preset::lottery};

TEST(snap1_write, keeps_the_decisions_of_every_example) {
  int count = 0;
  const auto folder = std::string(ARGOSY_SOURCE_DIR) + "/tests/oracle/surprises";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".snap") continue;
    for (const auto name : all_presets) {
      const auto world = read_snap1(read_surprise(entry.path().stem()), bench_config(name));
      ASSERT_TRUE(world) << world.error().detail;
      expect_same(*world, entry.path().stem().string() + " " + std::string(to_string(name)));
      ++count;
    }
  }
  EXPECT_GT(count, 50);
}

TEST(snap1_write, keeps_what_only_argosy_knows) {
  std::string text =
      "C pool left\nC floatingResources licence=7\nC seed 12345\nC closedExecutors e3\n"
      "C queueTokens a=2.5\nC tokens 30\nC usage a=7.25,b=0.5\nC penalty a:cpu=700\n"
      "C maximumResourceSchedulingBurst cpu=4\nC maximumPerQueueResourceSchedulingBurst cpu=3\n"
      "C resourceTokens cpu=3500.5\nC queueResourceTokens a:cpu=-20,memory=3\n"
      "N 0 n1 e1 8000 100000 0 rack=r1 - - - left\n"
      "N 1 n2 e2 8000 100000 2 rack=r2 team=x:PreferNoSchedule unschedulable - left\n"
      "N 2 n3 e3 8000 100000 0 - - - - left\nN 3 n4 e4 8000 100000 0 - - - - right\n"
      "Q a 1\nQ b 2.5 cordoned\nQ c 0.5\nL a std cpu 0.75\nL a - cpu 0.9\nL a - memory 1\nL c std "
      "cpu 0.1 right\n"
      "J r1 a std 0 1 1000 1 0 - - - - 1 - licence=2\nR r1 0 5 1000 left\n"
      "J r2 b low 0 1 1000 1 0 - - - - 1 -\nR r2 1 6 500 left\n"
      "J r3 c std 0 1 1000 1 0 - - - - 1 -\nR r3 3 6 1000 right\n"
      "J r4 c std 0 1 1000 1 0 - - - - 1 -\nR r4 -1 6 1000 left\n";
  for (int i = 0; i < 12; ++i) {
    const auto queue = std::string(1, static_cast<char>('a' + i % 3));
    text += "J q" + std::to_string(100 + i) + " " + queue + " std " + std::to_string(i % 2) + " " +
            std::to_string(i) + " 1500 10 0 " + (i % 4 == 0 ? "rack=r1" : "-") +
            " team=x:NoSchedule,key,* " +
            (i % 5 == 0 ? "rack:In:r1|r2;zone:DoesNotExist:||rack:Exists:" : "-") +
            (i % 3 == 0 ? " gang 4 rack" : " - 1 -") + " licence=1 " +
            (i % 6 == 1 ? "left|right" : "-") + (i % 3 == 0 ? " 2" : "") + "\n";
  }
  for (const auto name : all_presets) {
    auto world = read_snap1(text, bench_config(name));
    ASSERT_TRUE(world) << world.error().detail;
    world->conf.default_uniformity_label = "rack";
    world->conf.away_pools = {"right"};
    world->conf.max_fraction_to_schedule = {{"cpu", 1.0 / 3}};
    expect_same(*world, std::string(to_string(name)));
  }
}

TEST(snap1_write, keeps_what_is_stopping) {
  const std::string text =
      "N 0 n e 2000 1000 0 - - - - left\nQ a 1\n"
      "J old a std 0 1 1000 1 0 - - - - 1 -\nR old 0 5 1000 left stopping\n"
      "J new a std 0 2 2000 1 0 - - - - 1 -\n";
  for (const auto name : all_presets) {
    auto world = read_snap1(text, bench_config(name));
    ASSERT_TRUE(world) << world.error().detail;
    world->params.pool = "left";
    expect_same(*world, std::string(to_string(name)));
    const auto written = write_snap1(world->jobs_and_nodes, world->conf, world->params);
    EXPECT_NE(written.find(" left stopping\n"), std::string::npos) << written;
  }
}

TEST(snap1_write, keeps_a_penalty_of_nothing) {
  const auto conf = bench_config(preset::argosy);
  snapshot world(conf);
  world.settle();
  round_params params;
  params.penalties = {{"a", {}}, {"b", {{"cpu", 5}}}};
  const auto again = read_snap1(write_snap1(world, conf, params), conf);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->params.penalties, params.penalties);
}

TEST(snap1_write, keeps_the_largest_numbers) {
  auto conf = bench_config(preset::argosy);
  conf.max_lookback = conf.max_new_decisions = ~std::uint64_t{0};
  conf.slice_batch = ~std::uint32_t{0};
  conf.classes.front().priority = std::numeric_limits<std::int32_t>::max();
  snapshot world(conf);
  ASSERT_TRUE(world.upsert_queue({"q", 1.0, false, {}}));
  job_row job;
  job.queue = "q";
  job.shape = *world.intern({"std", {{"cpu", 1000}}, {}, {}, {}});
  job.priority = ~std::uint32_t{0};
  job.gang = gang_row{"g", ~std::uint32_t{0}, ~std::uint32_t{0} - 1, ""};
  ASSERT_TRUE(world.upsert_job(job));
  world.settle();
  const auto again = read_snap1(write_snap1(world, conf, {}), conf);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->conf.max_lookback, conf.max_lookback);
  EXPECT_EQ(again->conf.slice_batch, conf.slice_batch);
  EXPECT_EQ(again->conf.classes.front().priority, conf.classes.front().priority);
  const auto& t = again->jobs_and_nodes.data();
  EXPECT_EQ(t.jobs.at(0).priority, job.priority);
  EXPECT_EQ(t.gang_terms.at(0).cardinality, job.gang->cardinality);
  EXPECT_EQ(t.gang_terms.at(0).minimum, job.gang->minimum);
}

TEST(snap1_write, keeps_names_apart_that_separators_would_mix) {
  auto conf = bench_config(preset::argosy);
  snapshot world(conf);
  node_row node;
  node.id = "a node,with=all|of;it:x";
  node.executor = "an executor";
  node.pool = "default";
  node.total = {{"cpu", 2000}, {"memory", 1000}};
  node.labels = {{"what is", "this, then"}};
  ASSERT_TRUE(world.upsert_node(node));
  ASSERT_TRUE(world.upsert_queue({"my queue", 1.0, false, {}}));
  shape_row shape;
  shape.priority_class = "std";
  shape.requests = {{"cpu", 1000}};
  shape.selector = {{"what is", "this, then"}};
  job_row job;
  job.id.bytes[0] = 7;
  job.queue = "my queue";
  job.shape = *world.intern(shape);
  job.gang = gang_row{"one gang, alone", 2, 1, ""};
  ASSERT_TRUE(world.upsert_job(job));
  job.id.bytes[0] = 8;
  ASSERT_TRUE(world.upsert_job(job));
  world.settle();
  const auto text = write_snap1(world, conf, {});
  const auto again = read_snap1(text, conf);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(schedule(world, conf, {}).leases.size(), 2u);
  EXPECT_EQ(schedule(again->jobs_and_nodes, again->conf, again->params).leases.size(), 2u);
}

}  // namespace
}  // namespace argosy::scheduling
