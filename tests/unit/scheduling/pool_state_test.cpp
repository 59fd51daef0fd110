// SPDX-License-Identifier: Apache-2.0
// What a pool keeps from round to round: when it is of use, and when it is made anew. That its
// plans are those of schedule() is shown by tests/oracle/kept_state_test.cpp.
#include "runtime/scheduling/pool_state.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "runtime/scheduling/snap1.hpp"
#include "runtime/scheduling/tables.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

/// Two nodes of 4 cores. Job 0 of 1 core runs on n0, job 1 of 2 cores waits.
struct going_on {
  going_on()
      : given(read_snap1(worlds::node({.number = 0}) + worlds::node({.number = 1}) +
                             worlds::queue("q") + worlds::job({.id = "j0"}) +
                             worlds::run({.job = "j0"}) + worlds::job({.id = "j1", .cpu = 2000}),
                         bench_config(preset::argosy))
                  .value()),
        conf(std::make_shared<config>(given.conf)) {}

  [[nodiscard]] snapshot& jobs() { return given.jobs_and_nodes; }
  [[nodiscard]] node_row row_of(std::uint32_t node) {
    const auto& t = jobs().data();
    node_row row;
    row.id = t.nodes[node].id;
    row.executor = t.executors.name(t.nodes[node].executor);
    row.pool = "default";
    row.total = {{"cpu", 4000}, {"memory", 1000}};
    return row;
  }
  /// The job of the queue with that number starts on the node.
  void start(std::uint32_t job, std::uint32_t node) {
    const auto& record = jobs().data().jobs[job];
    job_row row{record.id, "q", record.shape, record.priority, record.submit_ns, {}, {}, {}};
    row.run = run_row{jobs().data().nodes[node].id, 2, 1000, "default", false};
    EXPECT_TRUE(jobs().upsert_job(row));
    jobs().settle();
  }
  plan decide() { return state.decide(jobs(), conf, given.params); }

  snap1_world given;
  std::shared_ptr<const config> conf;
  pool_state state;
};

TEST(pool_state, goes_on_while_jobs_come_start_and_end) {
  going_on at;
  EXPECT_EQ(at.decide().leases.size(), 1U);
  EXPECT_EQ(at.decide().leases.size(), 1U) << "what a round decides is taken back";
  at.start(1, 0);
  EXPECT_TRUE(at.decide().leases.empty());
  at.jobs().remove_job(at.jobs().data().jobs[0].id);
  at.jobs().settle();
  EXPECT_TRUE(at.decide().leases.empty());
  EXPECT_EQ(at.state.made_anew(), 1U);
}

TEST(pool_state, goes_on_when_a_node_is_told_as_it_was) {
  going_on at;
  (void)at.decide();
  ASSERT_TRUE(at.jobs().upsert_node(at.row_of(1)));
  at.jobs().settle();
  (void)at.decide();
  EXPECT_EQ(at.state.made_anew(), 1U);
}

TEST(pool_state, is_made_anew_when_more_than_jobs_changed) {
  const std::vector<std::function<void(going_on&)>> changes = {
      [](going_on& at) {
        auto row = at.row_of(1);
        row.id = "another";
        EXPECT_TRUE(at.jobs().upsert_node(row));
      },
      [](going_on& at) {
        auto row = at.row_of(1);
        row.unschedulable = true;
        EXPECT_TRUE(at.jobs().upsert_node(row));
      },
      [](going_on& at) {
        auto row = at.row_of(1);
        row.total = {{"cpu", 8000}, {"memory", 1000}};
        EXPECT_TRUE(at.jobs().upsert_node(row));
      },
      [](going_on& at) {
        auto row = at.row_of(1);
        row.labels = {{"zone", "a"}};
        EXPECT_TRUE(at.jobs().upsert_node(row));
      },
      [](going_on& at) { at.jobs().remove_node("n1"); },
      [](going_on& at) { close_node(at.jobs(), "n1"); },
      [](going_on& at) { (void)at.jobs().compact(); },
      [](going_on& at) { at.given.params.closed_executors = {"e"}; },
      [](going_on& at) { at.conf = std::make_shared<config>(at.given.conf); },
      [](going_on& at) {
        const auto copy = at.jobs();
        at.jobs() = copy;
      },
      [](going_on& at) { at.start(1, 1), at.jobs().remove_node("n1"); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    going_on at;
    (void)at.decide();
    changes[i](at);
    at.jobs().settle();
    (void)at.decide();
    EXPECT_EQ(at.state.made_anew(), 2U) << "change " << i;
  }
}

TEST(pool_state, does_not_trust_what_led_to_no_plan) {
  going_on at;
  (void)at.decide();
  ASSERT_TRUE(at.jobs().upsert_queue({"other", 1.0, false, {}, {}}));
  job_row row{{}, "other", at.jobs().data().jobs[0].shape, 0, 1, {}, {}, {}};
  row.id.bytes[0] = 9;
  ASSERT_TRUE(at.jobs().upsert_job(row));
  EXPECT_FALSE(at.decide().error.empty()) << "it is not settled";
  at.jobs().settle();
  EXPECT_EQ(at.decide().leases.size(), 2U);
}

TEST(plan, decides_as_another_one_if_both_give_and_take_the_same) {
  going_on at;
  const auto one = at.decide();
  auto other = one;
  EXPECT_TRUE(decide_alike(one, other));
  other.digest += 1;
  EXPECT_FALSE(decide_alike(one, other));
  other = one;
  other.failed.emplace_back();
  EXPECT_FALSE(decide_alike(one, other));
}

}  // namespace
}  // namespace argosy::scheduling
