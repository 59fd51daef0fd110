// SPDX-License-Identifier: Apache-2.0
// Goal: a waiting job's owner reads which taint, label or resource excludes how many nodes.
// Method: small worlds; the first queued job's shape is explained.
#include "runtime/scheduling/explain/exclusions.hpp"

#include <set>

#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {

namespace {

constexpr std::int64_t gibi = std::int64_t{1} << 30;

const std::string one_queue = worlds::queue("q");

std::string sized_node(int number, int cpu, worlds::node_fields of = {}) {
  of.number = number;
  of.cpu = cpu;
  return worlds::node(of);
}

std::string sized_job(const std::string& id, int cpu, std::int64_t memory = 1,
                      worlds::job_fields of = {}) {
  of.id = id;
  of.cpu = cpu;
  of.memory = memory;
  return worlds::job(of);
}

/// A job that runs on the node and keeps its place.
std::string running(const std::string& id, int node, int cpu, std::int64_t memory = 1) {
  return sized_job(id, cpu, memory, {.priority_class = "std-np"}) +
         worlds::run({.job = id, .node = node});
}

/// The sentence of each cause for the job j1. All nodes are in the fixture's pool `default`.
lines explained(const std::string& text, preset name = preset::argosy) {
  auto world = read_snap1(text, bench_config(name)).value();
  const auto what = schedule(world.jobs_and_nodes, world.conf, world.params);
  if (what.refusals.empty()) {
    ADD_FAILURE() << "the job was placed";
    return {};
  }
  const auto counts = explain(world.jobs_and_nodes, world.conf, world.params.pool,
                              world.jobs_and_nodes.job_id(what.refusals.front().job_index));
  lines out;
  std::uint32_t sum = 0;
  for (const auto& why : counts.causes) {
    out.push_back(sentence(why, world.conf));
    sum += why.nodes;
  }
  EXPECT_EQ(sum, counts.nodes);
  return out;
}

std::string closed(int count) {
  return std::to_string(count) + (count == 1 ? " node takes" : " nodes take") +
         " no new jobs (cordoned, out of contact, or overfull)";
}

}  // namespace

TEST(explain, names_taints_labels_and_what_is_lacking) {
  const std::string gpu = "gpu=true:NoSchedule";
  EXPECT_EQ(
      explained(sized_node(0, 4000, {.memory = 8 * gibi, .labels = "zone=a", .taints = gpu}) +
                sized_node(1, 4000, {.memory = 8 * gibi, .labels = "zone=a", .taints = gpu}) +
                sized_node(2, 4000, {.memory = 8 * gibi, .labels = "zone=a", .taints = gpu}) +
                sized_node(3, 8000, {.memory = 16 * gibi, .labels = "zone=b"}) +
                sized_node(4, 8000, {.memory = 16 * gibi}) +
                sized_node(5, 1000, {.memory = gibi, .labels = "zone=a"}) +
                sized_node(6, 1500, {.memory = gibi, .labels = "zone=a"}) +
                sized_node(7, 8000, {.memory = gibi, .labels = "zone=a", .unschedulable = true}) +
                one_queue + sized_job("j1", 2000, gibi, {.selector = "zone=a"})),
      (lines{"3 nodes have the taint gpu=true:NoSchedule, which it does not tolerate",
             "2 nodes lack the label zone=a",
             "2 nodes have too little cpu: 1.5 cores at most, and it needs 2 cores", closed(1)}));
}

TEST(explain, counts_nodes_without_the_label_that_a_gang_must_share) {
  const auto nodes = sized_node(0, 4000, {.labels = "rack=a"}) +
                     sized_node(1, 1000, {.labels = "rack=a"}) + sized_node(2, 4000) + one_queue;
  const auto gang = [](const std::string& label) {
    std::string text;
    for (const auto* id : {"j1", "j2", "j3"})
      text += sized_job(id, 2000, 1, {.gang = "g", .cardinality = 3, .uniformity_label = label});
    return text;
  };
  EXPECT_EQ(explained(nodes + gang("rack")),
            (lines{"1 node lacks the label rack",
                   "1 node has too little cpu: 1 core at most, and it needs 2 cores",
                   "1 node has room"}));
  EXPECT_EQ(explained(nodes + gang("row")), lines{"3 nodes lack the label row"});
}

TEST(explain, tells_room_that_is_taken_from_nodes_that_are_too_small) {
  EXPECT_EQ(
      explained(sized_node(0, 4000, {.memory = 8 * gibi}) +
                sized_node(1, 4000, {.memory = 8 * gibi}) + sized_node(2, 8000, {.memory = gibi}) +
                one_queue + running("r0", 0, 3000, gibi) + running("r1", 1, 2500, gibi) +
                sized_job("j1", 2000, 2 * gibi)),
      (lines{"2 nodes have too little cpu free: 1.5 cores at most, and it needs 2 cores",
             "1 node has too little memory: 1 GiB at most, and it needs 2 GiB"}));
}

TEST(explain, says_that_nothing_is_free) {
  EXPECT_EQ(explained(sized_node(0, 4000, {.memory = 8 * gibi, .gpus = 1}) +
                      sized_node(1, 2000, {.memory = 8 * gibi, .gpus = 1}) + one_queue +
                      running("r0", 0, 4000) + running("r1", 1, 2000) + sized_job("j1", 2000)),
            lines{"2 nodes have no cpu free, and it needs 2 cores"});
  EXPECT_EQ(
      explained(sized_node(0, 4000, {.gpus = 2}) + one_queue + sized_job("j1", 1, 1, {.gpus = 4})),
      lines{"1 node has too few nvidia.com/gpu: 2 at most, and it needs 4"});
}

TEST(explain, names_an_affinity_and_a_cordon) {
  EXPECT_EQ(explained(sized_node(0, 4000, {.memory = 8 * gibi, .labels = "zone=a"}) +
                      sized_node(1, 4000,
                                 {.memory = 8 * gibi, .labels = "zone=b", .unschedulable = true}) +
                      one_queue + running("r1", 1, 1000, gibi) +
                      sized_job("j1", 2000, gibi, {.affinity = "zone:In:b|c"})),
            (lines{closed(1), "1 node does not match its required node affinity"}));
}

TEST(explain, counts_idle_nodes_that_are_closed) {
  const auto shut =
      sized_node(0, 4000, {.unschedulable = true}) + sized_node(1, 4000, {.unschedulable = true});
  const auto small = sized_node(2, 1000);
  const auto waiting = one_queue + sized_job("j1", 2000);
  EXPECT_EQ(explained(shut + waiting), lines{closed(2)});
  EXPECT_EQ(explained(shut + small + waiting),
            (lines{closed(2), "1 node has too little cpu: 1 core at most, and it needs 2 cores"}));
  // Nodes that this pool may use count as well, and no other nodes do.
  const auto lent = worlds::key("awayPools", "lender") +
                    sized_node(0, 4000, {.unschedulable = true, .pool = "lender"}) +
                    sized_node(1, 4000, {.unschedulable = true, .pool = "other"});
  EXPECT_EQ(explained(lent + small + waiting),
            (lines{closed(1), "1 node has too little cpu: 1 core at most, and it needs 2 cores"}));
}

TEST(explain, names_a_resource_that_is_not_scheduled) {
  EXPECT_EQ(explained(worlds::key("unscheduledResources", "nvidia.com/gpu") +
                      sized_node(0, 4000, {.gpus = 8}) +
                      sized_node(1, 4000, {.gpus = 8, .unschedulable = true}) + one_queue +
                      sized_job("j1", 2000, 1, {.gpus = 1})),
            lines{"2 nodes are not asked, since jobs that need nvidia.com/gpu are not started "
                  "(unscheduledResources of the pool)"});
}

TEST(explain, takes_soft_taints_as_each_preset_does) {
  const auto world = sized_node(0, 1000, {.memory = 8 * gibi, .taints = "x=y:PreferNoSchedule"}) +
                     one_queue + sized_job("j1", 2000, gibi);
  EXPECT_EQ(explained(world),
            (lines{"1 node has too little cpu: 1 core at most, and it needs 2 cores"}));
  EXPECT_EQ(explained(world, preset::current),
            (lines{"1 node has the taint x=y:PreferNoSchedule, which it does not tolerate"}));
}

TEST(reason, has_a_name_and_a_sentence_of_its_own) {
  std::set<std::string_view> texts;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(reason::not_reached); ++i) {
    texts.insert(to_string(static_cast<reason>(i)));
    texts.insert(sentence(static_cast<reason>(i)));
  }
  EXPECT_EQ(texts.size(), 2 * (static_cast<std::size_t>(reason::not_reached) + 1));
}

TEST(reason, is_told_of_a_job_with_its_queue) {
  const auto world = read_snap1(worlds::queue("q") + sized_job("j1", 5000, 1024) +
                                    sized_node(0, 4000, {.memory = 8 * gibi}),
                                bench_config(preset::argosy))
                         .value();
  const auto made = schedule(world.jobs_and_nodes, world.conf, world.params);
  ASSERT_EQ(made.refusals.size(), 1u);
  const auto& job = world.jobs_and_nodes.job_id(made.refusals.front().job_index);
  EXPECT_EQ(render(world.jobs_and_nodes, made.refusals.front()),
            "job " + to_string(job) + " of queue 'q': " +
                std::string{sentence(reason::job_does_not_fit)});
}

TEST(explain, says_nothing_of_pools_and_jobs_that_are_not_there) {
  const auto world =
      read_snap1(sized_node(0, 1000, {.memory = 8 * gibi}) + one_queue + sized_job("j", 2000),
                 bench_config(preset::argosy))
          .value();
  const auto& from = world.jobs_and_nodes;
  EXPECT_EQ(explain(from, world.conf, world.params.pool, from.job_id(0)).nodes, 1u);
  EXPECT_EQ(explain(from, world.conf, "nowhere", from.job_id(0)).nodes, 0u);
  EXPECT_EQ(explain(from, world.conf, world.params.pool, ulid{}).nodes, 0u);
}

}  // namespace argosy::scheduling
