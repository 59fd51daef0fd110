// SPDX-License-Identifier: Apache-2.0
// Goal: whoever asks about one node reads everything there that stands in the way of a job, with
// its figures, and which waiting jobs the node could run. Method: small worlds in SNAP1; the job j1
// and the node n0 are judged, and the answers are compared with what the round decides.
#include "runtime/scheduling/explain/one_node.hpp"

#include <gmock/gmock.h>

#include <optional>

#include "runtime/scheduling/explain/node_prospects.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t gibi = std::int64_t{1} << 30;

struct one_node_of_a_world : ::testing::Test {
  /// Reads the world, which has the queue q and these records.
  void make(const std::string& records, preset name = preset::argosy) {
    world.emplace(read_snap1(worlds::queue("q") + records, bench_config(name)).value());
  }
  [[nodiscard]] one_node node() const {
    return {world->jobs_and_nodes, world->conf, find_node(world->jobs_and_nodes, "n0").value()};
  }
  /// The first job of the world is judged.
  [[nodiscard]] node_judgement judged() const { return node().judge(std::uint32_t{0}); }
  [[nodiscard]] lines obstacles() const {
    lines out;
    for (const auto& each : judged().obstacles) out.push_back(sentence(each, world->conf));
    return out;
  }
  /// Whether the round puts the only waiting job onto the only node.
  [[nodiscard]] bool is_placed() const {
    return !schedule(world->jobs_and_nodes, world->conf, world->params).leases.empty();
  }

  std::optional<snap1_world> world;
};

std::string job_of(std::int64_t cpu, worlds::job_fields of = {}) {
  of.id = "j1";
  of.cpu = cpu;
  return worlds::job(of);
}

std::string running(const std::string& id, std::int64_t cpu, const std::string& priority_class) {
  return worlds::job({.id = id, .priority_class = priority_class, .cpu = cpu}) +
         worlds::run({.job = id, .priority = priority_class == "low" ? 500 : 1000});
}

}  // namespace

TEST_F(one_node_of_a_world, says_everything_that_stands_in_the_way_of_a_job) {
  make(job_of(8000, {.memory = 4 * gibi, .selector = "zone=a,disk=ssd"}) +
       worlds::node({.cpu = 4000,
                     .memory = 2 * gibi,
                     .labels = "zone=b",
                     .taints = "gpu=true:NoSchedule,team=x:NoExecute",
                     .unschedulable = true}));
  EXPECT_THAT(obstacles(),
              ElementsAre("the node takes no new jobs",
                          "the node has the taint gpu=true:NoSchedule, which it does not tolerate",
                          "the node has the taint team=x:NoExecute, which it does not tolerate",
                          "it asks for the label disk=ssd, and the node has no such label",
                          "it asks for the label zone=a, and the node has zone=b",
                          "it needs 8 cores, and the node has 4 cores in all",
                          "it needs 4 GiB of memory, and the node has 2 GiB in all"));
  EXPECT_TRUE(judged().is_closed());
  EXPECT_FALSE(judged().fits_if_open());
  EXPECT_FALSE(is_placed());
}

TEST_F(one_node_of_a_world, says_what_is_free_of_what_there_is) {
  make(job_of(3000) + running("r1", 3000, "std-np") + worlds::node({.cpu = 4000}));
  EXPECT_THAT(obstacles(),
              ElementsAre("it needs 3 cores, and the node has 1 core free of 4 cores"));
  EXPECT_FALSE(judged().fits_by_preemption()) << "what runs keeps its place";
  EXPECT_FALSE(is_placed());
}

TEST_F(one_node_of_a_world, fits_where_there_is_room) {
  make(job_of(1000) + running("r1", 3000, "std-np") + worlds::node({.cpu = 4000}));
  EXPECT_TRUE(judged().fits());
  EXPECT_TRUE(is_placed());
}

TEST_F(one_node_of_a_world, fits_by_preemption_where_only_lower_priorities_take_the_room) {
  make(job_of(3000, {.priority_class = "std-np"}) + running("r1", 3000, "low") +
       worlds::node({.cpu = 4000}));
  EXPECT_FALSE(judged().fits());
  EXPECT_TRUE(judged().fits_by_preemption());
  EXPECT_TRUE(is_placed()) << "by urgency";
}

TEST_F(one_node_of_a_world, is_no_closed_node_to_a_job_that_tolerates_that) {
  make(job_of(1000, {.tolerations = "armadaproject.io/unschedulable=true:NoSchedule"}) +
       running("r1", 1000, "std-np") + worlds::node({.unschedulable = true}));
  EXPECT_TRUE(judged().fits());
  EXPECT_TRUE(is_placed());
}

TEST_F(one_node_of_a_world, names_the_rules_of_affinity_that_fail) {
  make(job_of(1000, {.affinity = "zone:In:b|c"}) + worlds::node({.labels = "zone=a"}));
  EXPECT_THAT(obstacles(),
              ElementsAre("the node does not meet its required node affinity: zone In (b, c)"));
}

TEST_F(one_node_of_a_world, lacks_the_label_that_a_gang_must_share) {
  make(job_of(1000, {.gang = "g", .cardinality = 2, .uniformity_label = "rack"}) +
       worlds::node({}));
  EXPECT_THAT(obstacles(), ElementsAre(HasSubstr("does not have the label rack")));
}

TEST_F(one_node_of_a_world, has_room_for_each_resource_at_each_priority) {
  make(job_of(1000) + running("r1", 1000, "std-np") + running("r2", 500, "low") +
       worlds::node({.cpu = 4000}));
  const auto room = node().room(0);
  ASSERT_EQ(room.size(), 1U) << "only what the job asks for";
  EXPECT_EQ(room[0].resource, "cpu");
  EXPECT_EQ(room[0].asked, 1);
  EXPECT_EQ(room[0].total, 4);
  EXPECT_EQ(room[0].free, 2.5);
  ASSERT_FALSE(room[0].at_priority.empty());
  EXPECT_EQ(room[0].at_priority.front().second, 2.5);
  EXPECT_EQ(room[0].at_priority.back().second, 3) << "if the job of class low left";
  EXPECT_GT(node().room(none).size(), 1U);
}

TEST_F(one_node_of_a_world, that_is_not_there_is_not_found) {
  make(worlds::node({}));
  EXPECT_FALSE(find_node(world->jobs_and_nodes, "n9"));
  world->jobs_and_nodes.remove_node("n0");
  EXPECT_FALSE(find_node(world->jobs_and_nodes, "n0"));
}

namespace {

struct node_prospects_of_a_world : one_node_of_a_world {
  [[nodiscard]] node_prospects found(const std::string& queue = "",
                                     prospect_limits limits = {}) const {
    return waiting_for(node(), queue, limits);
  }
  [[nodiscard]] lines kept(const node_prospects& of) const {
    lines out;
    for (const auto& each : of.kept) out.push_back(sentence(each.what, each.jobs, world->conf));
    return out;
  }
};

std::string waiting(const std::string& id, const std::string& queue, std::int64_t cpu,
                    const std::string& selector = "-") {
  return worlds::job({.id = id, .queue = queue, .cpu = cpu, .selector = selector});
}

}  // namespace

TEST_F(node_prospects_of_a_world, name_the_jobs_that_fit_and_count_why_others_do_not) {
  make(worlds::queue("p") + worlds::node({.cpu = 4000}) + running("r1", 2000, "std-np") +
       waiting("a", "q", 3000) + waiting("b", "q", 1000) + waiting("c", "q", 4000) +
       waiting("d", "p", 2000) + waiting("e", "p", 1000, "zone=a"));
  const auto all = found();
  EXPECT_EQ(all.waiting, 5U);
  EXPECT_EQ(all.looked_at, 5U);
  EXPECT_EQ(all.fitting, 2U);
  ASSERT_EQ(all.first.size(), 2U);
  EXPECT_EQ(all.first[0].queue, "p");
  EXPECT_EQ(all.first[0].place, 1U);
  EXPECT_EQ(all.first[1].queue, "q");
  EXPECT_EQ(all.first[1].place, 2U);
  EXPECT_THAT(kept(all),
              ElementsAre("2 jobs need more cpu than is free (2 cores): 3 cores or more",
                          "1 job asks for the label zone=a, and the node has no such label"));
  const auto one = found("p");
  EXPECT_EQ(one.waiting, 2U);
  EXPECT_EQ(one.fitting, 1U);
  EXPECT_EQ(found("none").waiting, 0U);
}

TEST_F(node_prospects_of_a_world, are_looked_at_in_part_when_there_are_too_many) {
  std::string records = worlds::queue("p") + worlds::node({.cpu = 4000});
  for (int i = 0; i < 5; ++i)
    records +=
        waiting("a" + std::to_string(i), "q", 1000) + waiting("b" + std::to_string(i), "p", 1000);
  make(records);
  const auto part = found("", {.named = 3, .looks = 4});
  EXPECT_EQ(part.waiting, 10U);
  EXPECT_EQ(part.looked_at, 4U) << "two of each queue";
  EXPECT_EQ(part.fitting, 4U);
  EXPECT_EQ(part.first.size(), 3U);
}

TEST_F(node_prospects_of_a_world, of_a_closed_node_are_those_that_would_fit_otherwise) {
  make(worlds::node({.cpu = 4000, .unschedulable = true}) + waiting("a", "q", 1000) +
       waiting("b", "q", 9000));
  const auto all = found();
  EXPECT_EQ(all.fitting, 1U);
  EXPECT_THAT(kept(all), ElementsAre("1 job needs more cpu than the node has (4 cores): 9 cores"));
  ASSERT_EQ(node().closures().size(), 1U);
  EXPECT_EQ(node().closures()[0].kind, obstacle_kind::closed);
}

TEST_F(node_prospects_of_a_world, are_none_while_changes_are_not_settled) {
  make(worlds::node({}) + waiting("a", "q", 1000));
  world->jobs_and_nodes.remove_job(world->jobs_and_nodes.job_id(0));
  EXPECT_EQ(found().waiting, 0U);
  EXPECT_THAT(found().first, IsEmpty());
}

}  // namespace argosy::scheduling
