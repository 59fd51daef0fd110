// SPDX-License-Identifier: Apache-2.0
// Goal: commands on selections touch the jobs meant and no others; what the COORDINATOR is told is
// exactly what changed. Method: one core with jobs in several sets, classes and states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A queue with two job sets. Set "a": 1 queued, 2 leased, 3 pending, 4 running (on cluster "d",
/// node "n1"). Set "b": 5 queued and preemptible.
class selections : public ::testing::Test {
 protected:
  void SetUp() override {
    auto preemptible = job_named(5, "b");
    auto shape = std::make_shared<model::job_shape>(*preemptible.shape);
    shape->priority_class = "armada-preemptible";
    preemptible.shape = shape;
    ASSERT_TRUE(q.submit(
        {job_named(1, "a"), job_named(2, "a"), job_named(3, "a"), job_named(4, "a"), preemptible}));
    ASSERT_EQ(q.lease({2, 3})->started.size(), 2U);
    ASSERT_EQ(q.lease({4}, "d")->started.size(), 1U);
    ASSERT_TRUE(q.report(3, run_phase::pending));
    ASSERT_TRUE(q.report(4, run_phase::running, 1, {}, "d"));
  }
  std::vector<ulid> cancelled(const job_selection& which) {
    auto reply = q.core.cancel(which, "bob", "", 5).reply;
    EXPECT_TRUE(reply);
    return reply ? reply->ids : std::vector<ulid>{};
  }
  static job_selection whole(std::string set = {}) {
    job_selection which;
    which.job_set = std::move(set);
    which.whole = true;
    return which;
  }
  queue_driver q;
};

TEST_F(selections, must_say_something) {
  job_selection which;
  which.job_set = "a";
  EXPECT_EQ(q.core.cancel(which, "bob", "", 5).reply.error().code, ec::invalid_argument);
  EXPECT_EQ(q.core.reprioritize(which, 1, "bob", 5).reply.error().code, ec::invalid_argument);
}

TEST_F(selections, by_id_are_sorted_unique_and_ignore_strangers) {
  job_selection which;
  which.ids = {job_id(5), job_id(1), job_id(5), job_id(77)};
  EXPECT_THAT(cancelled(which), ElementsAre(job_id(1), job_id(5)));
  which.job_set = "b";
  EXPECT_THAT(cancelled(which), ElementsAre(job_id(5)));
}

TEST_F(selections, by_job_set_and_state) {
  EXPECT_EQ(cancelled(whole("a")).size(), 4U);
  EXPECT_THAT(cancelled(whole("nobody")), IsEmpty());
  auto queued = whole("a");
  queued.leased = queued.pending = queued.running = false;
  EXPECT_THAT(cancelled(queued), ElementsAre(job_id(1)));
  auto started = whole("a");
  started.queued = false;
  EXPECT_THAT(cancelled(started), ElementsAre(job_id(2), job_id(3), job_id(4)));
  auto running = started;
  running.leased = running.pending = false;
  EXPECT_THAT(cancelled(running), ElementsAre(job_id(4)));
}

TEST_F(selections, of_the_whole_queue_by_class_pool_cluster_and_node) {
  EXPECT_EQ(cancelled(whole()).size(), 5U);
  auto which = whole();
  which.classes = {"armada-preemptible"};
  EXPECT_THAT(cancelled(which), ElementsAre(job_id(5)));
  which = whole();
  which.pools = {"default"};
  EXPECT_THAT(cancelled(which), ElementsAre(job_id(2), job_id(3), job_id(4)));
  which.pools = {"gpu"};
  EXPECT_THAT(cancelled(which), IsEmpty());
  which = whole();
  which.cluster = "d";
  EXPECT_THAT(cancelled(which), ElementsAre(job_id(4)));
  which.node = "n2";
  EXPECT_THAT(cancelled(which), IsEmpty());
}

TEST_F(selections, cancel_of_a_set_ends_what_waits_and_stops_what_runs) {
  ASSERT_TRUE(q.run(q.core.cancel(whole("a"), "bob", "", 5)));
  EXPECT_EQ(q.effects<stop_order>().size(), 3U);
  EXPECT_EQ(q.state(1), "GONE");
  EXPECT_EQ(q.state(4), "RUNNING");
  EXPECT_EQ(q.state(5), "QUEUED");
}

TEST_F(selections, preempt_ends_runs_and_leaves_what_waits) {
  const auto reply = q.run(q.core.preempt(whole("a"), "bob", "Preempted by bob", 5));
  ASSERT_TRUE(reply);
  EXPECT_THAT(reply->ids, ElementsAre(job_id(2), job_id(3), job_id(4)));
  const auto stops = q.effects<stop_order>();
  ASSERT_EQ(stops.size(), 3U);
  EXPECT_EQ(stops[0].order.cause, model::stop_cause::preempt);
  EXPECT_EQ(q.state(1), "QUEUED");
  EXPECT_EQ(q.core.find(job_id(4))->requestor, "bob");
  EXPECT_THAT(q.core.preempt(whole("a"), "eve", "", 6).reply->ids, IsEmpty())
      << "they are being stopped already";
  ASSERT_TRUE(q.report(4, run_phase::stopped, 1, {}, "d"));
  EXPECT_EQ(q.state(4), "GONE");
}

TEST_F(selections, reprioritize_only_where_it_changes_something) {
  EXPECT_EQ(q.run(q.core.reprioritize(whole("a"), 3, "bob", 5))->ids.size(), 4U);
  EXPECT_EQ(q.core.find(job_id(4))->priority, 3U);
  EXPECT_EQ(q.core.find(job_id(4))->header->priority, 10U);
  EXPECT_TRUE(q.run(q.core.reprioritize(whole("a"), 3, "bob", 6))->ids.empty());
  EXPECT_THAT(q.run(q.core.reprioritize(whole(), 3, "bob", 7))->ids, ElementsAre(job_id(5)));
}

TEST_F(selections, counts_and_job_sets) {
  const auto sets = q.core.job_sets();
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].job_set, "a");
  EXPECT_EQ(sets[0].queued, 1U);
  EXPECT_EQ(sets[0].active, 3U);
  EXPECT_EQ(sets[1].queued, 1U);
  EXPECT_EQ(q.core.count(model::job_state::queued), 2U);
  EXPECT_EQ(q.core.count(model::job_state::leased), 1U);
  EXPECT_EQ(q.core.count(model::job_state::pending), 1U);
  EXPECT_EQ(q.core.count(model::job_state::running), 1U);
  EXPECT_EQ(q.core.count(model::job_state::failed), 0U);
}

TEST_F(selections, deltas_hold_what_changed_since_the_last_one) {
  auto delta = q.core.take_dirty();
  EXPECT_TRUE(delta.queue_changed);
  ASSERT_EQ(delta.jobs.set.size(), 5U);
  EXPECT_EQ(delta.jobs.set[0].run, nullptr);
  ASSERT_NE(delta.jobs.set[3].run, nullptr);
  EXPECT_EQ(delta.jobs.set[3].run->cluster.str(), "d");
  EXPECT_EQ(delta.jobs.set[3].gang, nullptr);
  EXPECT_FALSE(q.core.dirty());

  ASSERT_TRUE(q.cancel({1, 4}));
  EXPECT_TRUE(q.core.dirty());
  delta = q.core.take_dirty();
  EXPECT_FALSE(delta.queue_changed);
  EXPECT_THAT(delta.jobs.removed, ElementsAre(job_id(1)));
  ASSERT_EQ(delta.jobs.set.size(), 1U);
  EXPECT_TRUE(delta.jobs.set[0].stopping);

  // This job comes and goes between two cuts.
  ASSERT_TRUE(q.submit({job_named(6)}));
  ASSERT_TRUE(q.cancel({6}));
  delta = q.core.take_dirty();
  EXPECT_TRUE(delta.jobs.set.empty());

  q.core.touch_all();
  delta = q.core.take_dirty();
  EXPECT_TRUE(delta.queue_changed);
  EXPECT_EQ(delta.jobs.set.size(), 4U);
}

TEST_F(selections, set_aside_rejects_what_waits_and_cancels_what_runs) {
  EXPECT_THAT(q.run(q.core.set_aside({job_id(1), "harm"}, 5))->ids, ElementsAre(job_id(1)));
  EXPECT_EQ(q.state(1), "GONE");
  EXPECT_EQ(q.stored(1).state, model::job_state::rejected);
  EXPECT_EQ(q.stored(1).reason, "harm");
  EXPECT_THAT(q.run(q.core.set_aside({job_id(4), "harm"}, 6))->ids, ElementsAre(job_id(4)));
  EXPECT_EQ(q.effects<stop_order>().size(), 1U);
  EXPECT_EQ(q.stored(4).stopping, model::stop_cause::cancel);
  EXPECT_EQ(q.stored(4).requestor, "argosyd");
  EXPECT_THAT(q.run(q.core.set_aside({job_id(4), "harm"}, 7))->ids, IsEmpty());
  EXPECT_THAT(q.run(q.core.set_aside({job_id(77), "harm"}, 8))->ids, IsEmpty());
}

TEST(gangs_set_aside, end_as_a_whole) {
  queue_driver q;
  std::vector<model::job_header> members;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    members.push_back(job_named(number));
    members.back().gang = gang_of("g", 3);
  }
  ASSERT_TRUE(q.submit(std::move(members)));
  EXPECT_EQ(q.run(q.core.set_aside({job_id(2), "harm"}, 5))->ids.size(), 3U);
  for (std::uint64_t number = 1; number <= 3; ++number) EXPECT_EQ(q.state(number), "GONE");
}

}  // namespace
}  // namespace argosy::ledger
