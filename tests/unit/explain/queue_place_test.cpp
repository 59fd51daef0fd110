// SPDX-License-Identifier: Apache-2.0
// Goal: a waiting job learns how many jobs of its queue rounds look at before it. Method: small
// worlds in SNAP1, settled and changed since.
#include "runtime/scheduling/explain/queue_place.hpp"

#include "runtime/scheduling/tables.hpp"
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

std::string waiting(const std::string& id, int priority, const std::string& queue = "q") {
  return "J " + id + " " + queue + " std-np " + std::to_string(priority) +
         " 1 1000 1 0 - - - - 1 -\n";
}

struct queue_places : ::testing::Test {
  std::string nodes = "N 0 n0 e 8000 9000 0 - -\nQ q 1\nQ p 1\n";

  snap1_world world_of(const std::string& jobs) {
    return read_snap1(nodes + jobs, bench_config(preset::argosy)).value();
  }
  /// The places of all jobs of the world, in the order of their numbers.
  static std::vector<std::uint64_t> places(const snapshot& from) {
    std::vector<std::uint64_t> out;
    for (std::uint32_t i = 0; i < from.data().jobs.size(); ++i)
      out.push_back(place_in_queue(from, from.job_id(i)));
    return out;
  }
};

using places_list = std::vector<std::uint64_t>;

TEST_F(queue_places, follow_priority_then_the_order_of_submission) {
  const auto world =
      world_of(waiting("a", 5) + waiting("b", 1) + waiting("c", 5) + waiting("d", 0, "p"));
  EXPECT_EQ(places(world.jobs_and_nodes), (places_list{2, 1, 3, 1}));
}

TEST_F(queue_places, do_not_count_jobs_that_run) {
  const auto world = world_of(waiting("a", 0) + waiting("b", 1) + "R a 0 1 1000\n");
  EXPECT_EQ(places(world.jobs_and_nodes), (places_list{0, 1}));
}

TEST_F(queue_places, are_right_before_changes_are_settled) {
  auto world = world_of(waiting("a", 0) + waiting("b", 1) + waiting("c", 2));
  auto& changed = world.jobs_and_nodes;
  const auto first = changed.job_id(0);
  const auto last = changed.job_id(2);
  changed.remove_job(first);
  EXPECT_FALSE(changed.settled());
  EXPECT_EQ(place_in_queue(changed, first), 0U);
  EXPECT_EQ(place_in_queue(changed, last), 2U);
  changed.settle();
  EXPECT_EQ(place_in_queue(changed, last), 2U);
}

TEST_F(queue_places, count_a_job_once_that_left_and_came_back_before_changes_are_settled) {
  auto world = world_of(waiting("a", 0) + waiting("b", 1) + waiting("c", 2));
  auto& changed = world.jobs_and_nodes;
  const auto last = changed.job_id(2);
  job_row row;
  row.id = changed.job_id(0);
  row.queue = "q";
  row.shape = changed.job_shape(0);
  for (int again = 0; again < 3; ++again) {
    row.run = run_row{};
    row.run->node = "n0";
    ASSERT_TRUE(changed.upsert_job(row));
    EXPECT_EQ(place_in_queue(changed, last), 2U) << "a job that runs is not ahead";
    row.run.reset();
    ASSERT_TRUE(changed.upsert_job(row));
    EXPECT_FALSE(changed.settled());
    EXPECT_EQ(place_in_queue(changed, last), 3U);
  }
  changed.settle();
  EXPECT_EQ(place_in_queue(changed, last), 3U);
}

TEST_F(queue_places, name_the_jobs_before_a_job_from_the_head_of_its_queue) {
  auto world = world_of(waiting("a", 5) + waiting("b", 1) + waiting("c", 5) + waiting("d", 0, "p"));
  auto& from = world.jobs_and_nodes;
  const auto id = [&](std::uint32_t number) { return from.job_id(number); };
  EXPECT_EQ(jobs_ahead(from, id(2), 5),
            (std::vector<ahead_job>{{id(1), ahead_cause::priority}, {id(0), ahead_cause::time}}));
  EXPECT_EQ(jobs_ahead(from, id(2), 1), (std::vector<ahead_job>{{id(1), ahead_cause::priority}}));
  EXPECT_TRUE(jobs_ahead(from, id(1), 5).empty());
  EXPECT_TRUE(jobs_ahead(from, id(3), 5).empty());
  from.remove_job(id(0));
  EXPECT_TRUE(jobs_ahead(from, world.jobs_and_nodes.job_id(2), 5).empty()) << "not settled";
}

}  // namespace
}  // namespace argosy::scheduling
