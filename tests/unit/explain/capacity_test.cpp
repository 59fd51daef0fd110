// SPDX-License-Identifier: Apache-2.0
// Goal: a job that can never run in a pool is distinguished from one that only has to wait, and
// never the other way round. Method: small worlds; the last job of each is asked about.
#include "runtime/scheduling/explain/capacity.hpp"

#include "runtime/scheduling/tables.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

const std::string queue = worlds::queue("q");

/// A node; the fields that are given beside its size are taken over.
std::string node(int number, int cores, worlds::node_fields of = {}) {
  of.number = number;
  of.cpu = 1000 * cores;
  return worlds::node(of);
}

std::string job(const std::string& id, int cores, worlds::job_fields of = {}) {
  of.id = id;
  of.priority_class = "std-np";
  of.cpu = 1000 * cores;
  return worlds::job(of);
}

std::string gang(int members, int minimum, const std::string& label, int cores) {
  std::string text;
  for (int i = 0; i < members; ++i)
    text +=
        job("g" + std::to_string(i), cores,
            {.gang = "g", .cardinality = members, .uniformity_label = label, .minimum = minimum});
  return text;
}

/// Whether the last job that the world names can ever run in pool default.
bool possible(const std::string& text, const std::function<void(config&)>& adjust = {}) {
  auto conf = bench_config(preset::argosy);
  if (adjust) adjust(conf);
  const auto world = read_snap1(text, conf).value();
  const auto& from = world.jobs_and_nodes;
  const auto last = static_cast<std::uint32_t>(from.data().jobs.size() - 1);
  return !pool_capacity(from, world.conf, world.params.pool).why_never(from.job_id(last));
}

TEST(pool_capacity, asks_for_nodes_that_are_large_enough_when_they_are_empty) {
  const auto full = node(0, 4) + queue + job("r", 4) + worlds::run({.job = "r"});
  EXPECT_TRUE(possible(full + job("j", 4)));
  EXPECT_FALSE(possible(full + job("j", 5)));
  EXPECT_FALSE(possible(queue + job("j", 1)));
}

TEST(pool_capacity, takes_closed_nodes_as_open) {
  EXPECT_TRUE(possible(node(0, 4, {.unschedulable = true}) + queue + job("j", 4)));
  EXPECT_TRUE(possible(node(0, 4, {.taints = "node.kubernetes.io/not-ready=:NoExecute"}) + queue +
                       job("j", 4)));
  EXPECT_FALSE(possible(node(0, 4, {.taints = "gpu=true:NoSchedule"}) + queue + job("j", 4)));
}

TEST(pool_capacity, asks_for_labels_tolerations_and_affinity) {
  const auto nodes = node(0, 4, {.labels = "zone=a", .taints = "gpu=true:NoSchedule"}) +
                     node(1, 4, {.labels = "zone=b"}) + queue;
  EXPECT_TRUE(possible(nodes + job("j", 4, {.selector = "zone=b"})));
  EXPECT_FALSE(possible(nodes + job("j", 4, {.selector = "zone=a"})));
  EXPECT_TRUE(
      possible(nodes + job("j", 4, {.selector = "zone=a", .tolerations = "gpu=true:NoSchedule"})));
  EXPECT_TRUE(possible(nodes + job("j", 4, {.affinity = "zone:In:b|c"})));
  EXPECT_FALSE(possible(nodes + job("j", 4, {.affinity = "zone:In:a|c"})));
}

TEST(pool_capacity, counts_nodes_that_other_pools_lend) {
  const auto world = node(0, 4, {.pool = "lender"}) + queue;
  EXPECT_FALSE(possible(world + job("j", 4)));
  EXPECT_TRUE(possible(worlds::key("awayPools", "lender") + world + job("j", 4)));
}

TEST(pool_capacity, knows_what_no_round_gives_out) {
  EXPECT_FALSE(
      possible(worlds::key("unscheduledResources", "cpu") + node(0, 4) + queue + job("j", 4)));
}

TEST(pool_capacity, counts_what_the_pool_has_as_a_whole) {
  const auto licences = [](config& conf) { conf.floating = {{"licence", 2, {}}}; };
  const auto floats = [&](int amount) {
    auto conf = bench_config(preset::argosy);
    licences(conf);
    snapshot from(conf);
    node_row n;
    n.id = "n";
    n.pool = "default";
    n.total = {{"cpu", 1000}};
    EXPECT_TRUE(from.upsert_node(n));
    EXPECT_TRUE(from.upsert_queue({"q", 1, false, {}}));
    job_row j;
    j.queue = "q";
    j.shape = from.intern({"std", {{"licence", amount}}, {}, {}, {}}).value();
    EXPECT_TRUE(from.upsert_job(j));
    const auto why = pool_capacity(from, conf, "default").why_never(j.id);
    return why ? sentence(why->counts.causes.at(0), conf) : "";
  };
  EXPECT_EQ(floats(2), "");
  EXPECT_EQ(floats(3), "the pool has 2 licence in all, and it needs 3");
}

TEST(pool_capacity, says_what_keeps_a_job_from_each_empty_node) {
  const auto world =
      read_snap1(node(0, 4, {.labels = "zone=a", .taints = "gpu=true:NoSchedule"}) +
                     node(1, 2, {.labels = "zone=b"}) +
                     node(2, 8, {.labels = "zone=c", .unschedulable = true}) + queue + job("r", 2) +
                     worlds::run({.job = "r", .node = 1}) + job("j", 9),
                 bench_config(preset::argosy))
          .value();
  const auto& from = world.jobs_and_nodes;
  const auto why = pool_capacity(from, world.conf, "default").why_never(from.job_id(1));
  ASSERT_TRUE(why);
  lines told;
  for (const auto& each : why->counts.causes) told.push_back(sentence(each, world.conf));
  EXPECT_EQ(told, (lines{"2 nodes have too little cpu: 8 cores at most, and it needs 9 cores",
                         "1 node has the taint gpu=true:NoSchedule, which it does not tolerate"}));
}

TEST(pool_capacity, counts_the_members_of_a_gang_that_fit_at_once) {
  const auto nodes = node(0, 4) + node(1, 3) + queue;
  EXPECT_TRUE(possible(nodes + gang(3, 3, "-", 2)));
  EXPECT_FALSE(possible(nodes + gang(4, 4, "-", 2)));
  EXPECT_TRUE(possible(nodes + gang(4, 3, "-", 2)));
}

TEST(pool_capacity, keeps_a_gang_under_one_value_of_its_label) {
  const auto nodes = node(0, 4, {.labels = "rack=a"}) + node(1, 4, {.labels = "rack=a"}) +
                     node(2, 4, {.labels = "rack=b"}) + queue;
  EXPECT_TRUE(possible(nodes + gang(4, 4, "rack", 2)));
  EXPECT_FALSE(possible(nodes + gang(5, 5, "rack", 2)));
  EXPECT_TRUE(possible(nodes + gang(5, 5, "-", 2)));
  EXPECT_FALSE(possible(nodes + gang(2, 2, "row", 2)));
}

TEST(pool_capacity, keeps_a_gang_in_one_cluster_where_that_is_asked) {
  const auto nodes = node(0, 4) + node(1, 4, {.cluster = "f"}) + queue;
  EXPECT_TRUE(possible(nodes + gang(4, 4, "-", 2)));
  EXPECT_FALSE(
      possible(nodes + gang(4, 4, "-", 2), [](config& conf) { conf.gang_in_one_cluster = true; }));
}

TEST(pool_capacity, hopes_for_a_job_that_is_not_known) {
  const auto world = read_snap1(queue, bench_config(preset::argosy)).value();
  EXPECT_FALSE(pool_capacity(world.jobs_and_nodes, world.conf, "default").why_never({}));
  EXPECT_EQ(pool_capacity(world.jobs_and_nodes, world.conf, "default").nodes(), 0U);
}

/// A job that a round places could run, so that nobody may be told that it never can.
TEST(pool_capacity, never_denies_what_a_round_places) {
  for (const auto name : {preset::argosy, preset::unified, preset::classic}) {
    auto conf = bench_config(name);
    const auto world =
        read_snap1(node(0, 4, {.labels = "rack=a"}) + node(1, 2, {.labels = "rack=b"}) + queue +
                       gang(2, 2, "rack", 2) + job("j", 2),
                   conf)
            .value();
    const auto& from = world.jobs_and_nodes;
    const auto what = schedule(from, world.conf, world.params);
    EXPECT_EQ(what.leases.size(), 3U) << to_string(name);
    const pool_capacity pool(from, world.conf, world.params.pool);
    for (const auto& lease : what.leases) EXPECT_FALSE(pool.why_never(lease.job));
  }
}

}  // namespace
}  // namespace argosy::scheduling
