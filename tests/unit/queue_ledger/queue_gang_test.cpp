// SPDX-License-Identifier: Apache-2.0
// Goal: gangs are scheduled, started, recalled and ended as wholes, also with a minimum
// cardinality; GANG and COORDINATOR are told what they need. Method: one core driven by commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/ledger/queue/selection_parts.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::job_state;
using model::run_phase;
using model::stop_cause;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class gang_queue : public ::testing::Test {
 protected:
  void fill(std::uint32_t cardinality, std::uint32_t minimum, std::uint64_t members) {
    std::vector<model::job_header> jobs;
    for (std::uint64_t number = 1; number <= members; ++number) {
      jobs.push_back(job_named(number));
      jobs.back().gang = gang_of("g", cardinality, minimum);
    }
    ASSERT_TRUE(q.submit(jobs));
  }
  std::vector<ulid> visible() {
    for (const auto& item : q.core.take_dirty().jobs.set) seen.push_back(item.header->id);
    return std::exchange(seen, {});
  }
  queue_driver q;
  std::vector<ulid> seen;
};

TEST_F(gang_queue, members_are_seen_once_the_gang_says_that_all_are_there) {
  q.hold_reports = true;
  fill(2, 2, 1);
  EXPECT_TRUE(q.held_reports.empty()) << "one member is missing";
  EXPECT_THAT(visible(), ElementsAre());
  auto last = job_named(2);
  last.gang = gang_of("g", 2);
  ASSERT_TRUE(q.submit({last}));
  EXPECT_THAT(visible(), ElementsAre()) << "the GANG has not said so yet";
  EXPECT_THAT(q.lease({1, 2})->refused.at(0).reason, HasSubstr("has just changed"));
  ASSERT_EQ(q.held_reports.size(), 1U);
  q.core.gang_reported(q.held_reports[0]);
  EXPECT_THAT(visible(), ElementsAre(job_id(1), job_id(2)));
}

TEST_F(gang_queue, reports_on_other_members_or_other_gangs_change_nothing) {
  q.hold_reports = true;
  fill(2, 2, 2);
  ASSERT_EQ(q.held_reports.size(), 1U);
  ASSERT_TRUE(q.cancel({2}));
  (void)q.core.take_dirty();
  q.core.gang_reported(q.held_reports[0]);
  EXPECT_FALSE(q.core.dirty()) << "the gang has ended with the member that was cancelled";
  auto stranger = q.held_reports[0];
  stranger.gang = "nobody";
  q.core.gang_reported(stranger);
  EXPECT_FALSE(q.core.dirty());
}

TEST_F(gang_queue, a_report_that_comes_after_the_start_does_not_open_the_gang_again) {
  fill(2, 2, 2);
  const gang_report open{"g", gang_of("g", 2), true, {job_id(1), job_id(2)}};
  ASSERT_EQ(q.lease({1, 2})->started.size(), 2U);
  q.core.gang_reported(open);
  EXPECT_THAT(q.lease({1, 2})->refused.at(0).reason, HasSubstr("member"));
}

TEST_F(gang_queue, ends_when_it_has_lost_a_member_that_it_needs) {
  fill(3, 3, 3);
  EXPECT_EQ(visible().size(), 3U);
  ASSERT_TRUE(q.cancel({1}));
  EXPECT_EQ(q.effects<gang_changed>().at(0).ended.size(), 3U);
  EXPECT_TRUE(q.effects<gang_changed>().at(0).last);
  EXPECT_EQ(q.stored(1).state, job_state::cancelled);
  for (const auto number : {2U, 3U}) {
    EXPECT_EQ(q.stored(number).state, job_state::cancelled);
    EXPECT_THAT(q.stored(number).reason, HasSubstr("was cancelled before the gang started"));
    EXPECT_THAT(q.stored(number).reason, HasSubstr(to_string(job_id(1))));
  }
  EXPECT_EQ(q.core.live_count(), 0U);
}

TEST_F(gang_queue, ends_also_before_all_were_submitted) {
  fill(3, 3, 2);
  const auto reply = q.cancel({2});
  ASSERT_TRUE(reply);
  EXPECT_EQ(q.stored(1).state, job_state::cancelled);
  EXPECT_THAT(reply->ids, ElementsAre(job_id(2), job_id(1))) << "whoever cancels learns of both";
}

TEST_F(gang_queue, that_loses_a_member_to_a_rejection_is_rejected) {
  fill(3, 3, 3);
  ASSERT_TRUE(q.run(q.core.set_aside({.job = job_id(2), .reason = "it ends the server"}, ++q.now)));
  for (const auto number : {1U, 2U, 3U}) EXPECT_EQ(q.stored(number).state, job_state::rejected);
}

TEST_F(gang_queue, is_cancelled_as_a_whole_by_a_change_that_is_made_in_parts) {
  // Parts of ten jobs cut gangs of seven apart; the gang of 25 is larger than a part.
  std::vector<model::job_header> jobs;
  for (std::uint64_t number = 1; number <= 46; ++number) {
    jobs.push_back(job_named(number));
    jobs.back().gang =
        number <= 21 ? gang_of("g" + std::to_string((number - 1) / 7), 7) : gang_of("large", 25);
  }
  ASSERT_TRUE(q.submit(jobs));
  job_selection all;
  all.whole = true;
  selection_parts parts{all, q.core.select(all).value(), 10};
  std::size_t cancelled = 0;
  while (!parts.all_taken()) {
    const auto reply = q.run(q.core.cancel(parts.take(), "bob", "enough", ++q.now));
    ASSERT_TRUE(reply);
    cancelled += reply->ids.size();
  }
  EXPECT_EQ(cancelled, 46U) << "each job is told once";
  for (std::uint64_t number = 1; number <= 46; ++number)
    EXPECT_EQ(q.stored(number).state, job_state::cancelled) << number;
}

TEST_F(gang_queue, that_still_has_its_minimum_waits_for_another_member) {
  fill(3, 2, 3);
  EXPECT_EQ(visible().size(), 3U);
  ASSERT_TRUE(q.cancel({1}));
  EXPECT_EQ(q.core.live_count(), 2U);
  EXPECT_THAT(q.lease({2, 3})->refused.at(0).reason, HasSubstr("2 of 3 members"));
  auto next = job_named(4);
  next.gang = gang_of("g", 3, 2);
  ASSERT_TRUE(q.submit({next}));
  EXPECT_THAT(visible(), ElementsAre(job_id(2), job_id(3), job_id(4)));
}

TEST_F(gang_queue, ends_when_it_falls_below_its_minimum_step_by_step) {
  fill(3, 2, 3);
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.cancel({2}));
  EXPECT_EQ(q.stored(3).state, job_state::cancelled);
  EXPECT_THAT(q.stored(3).reason, HasSubstr("needs 2 of its 3 members"));
}

TEST_F(gang_queue, that_has_run_does_not_end_with_a_member) {
  fill(2, 2, 2);
  ASSERT_EQ(q.lease({1, 2})->started.size(), 2U);
  ASSERT_TRUE(q.cancel({1}));
  EXPECT_EQ(q.core.live_count(), 2U) << "one is told to stop, and the other goes on";
}

TEST_F(gang_queue, starts_as_a_whole_or_not_at_all) {
  fill(3, 3, 3);
  EXPECT_THAT(q.lease({1, 2})->refused.at(0).reason,
              HasSubstr("only 2 members of its gang were placed, and it needs 3"));
  EXPECT_TRUE(q.last_events.empty());
  EXPECT_EQ(q.lease({1, 2, 2})->refused.size(), 3U);
  EXPECT_EQ(q.lease({1, 2, 3})->started.size(), 3U);
  EXPECT_EQ(q.effects<gang_changed>().at(0).started.size(), 3U);
}

TEST_F(gang_queue, one_refused_member_refuses_all_but_not_other_jobs) {
  fill(3, 3, 3);
  ASSERT_TRUE(q.submit({job_named(9)}));
  ASSERT_TRUE(q.cancel({2}));
  const auto reply = q.lease({1, 2, 3, 9});
  ASSERT_EQ(reply->started.size(), 1U);
  EXPECT_EQ(reply->started[0].run.job, job_id(9));
  EXPECT_EQ(reply->refused.size(), 3U);
}

TEST_F(gang_queue, with_a_minimum_the_unplaced_rest_is_rejected) {
  fill(4, 2, 4);
  EXPECT_EQ(q.lease({1})->refused.size(), 1U);
  const auto reply = q.lease({1, 3});
  EXPECT_EQ(reply->started.size(), 2U);
  EXPECT_EQ(reply->rejected, 2U);
  EXPECT_EQ(q.stored(2).state, job_state::rejected);
  EXPECT_THAT(q.stored(2).reason, HasSubstr("started with 2 of 4 members"));
  EXPECT_EQ(q.effects<gang_changed>().at(0).ended, (std::vector<ulid>{job_id(2), job_id(4)}));
  EXPECT_FALSE(q.effects<gang_changed>().at(0).last);
}

TEST_F(gang_queue, a_returned_member_recalls_the_others) {
  fill(3, 3, 3);
  ASSERT_TRUE(q.lease({1, 2, 3}));
  ASSERT_TRUE(q.report(1, run_phase::running));
  ASSERT_TRUE(q.report(2, run_phase::refused));
  const auto stops = q.effects<stop_order>();
  ASSERT_EQ(stops.size(), 2U);
  for (const auto& stop : stops) EXPECT_EQ(stop.order.cause, stop_cause::requeue);
  EXPECT_EQ(q.effects<gang_changed>().at(0).requeued, std::vector<ulid>{job_id(2)});
  EXPECT_EQ(q.stored(1).stopping, stop_cause::requeue);
  (void)visible();
  EXPECT_EQ(q.state(2), "QUEUED");
  EXPECT_THAT(q.lease({2})->refused.at(0).reason, HasSubstr("still has a run"));

  ASSERT_TRUE(q.report(1, run_phase::stopped));
  EXPECT_TRUE(q.effects<stop_order>().empty()) << "everybody was told already";
  EXPECT_THAT(visible(), ElementsAre()) << "member 3 still has a run";
  ASSERT_TRUE(q.report(3, run_phase::unknown));
  EXPECT_THAT(visible(), ElementsAre(job_id(1), job_id(2), job_id(3)));
  EXPECT_EQ(q.core.find(job_id(1))->stopping, stop_cause::none);
  EXPECT_EQ(q.lease({1, 2, 3})->started.size(), 3U);
}

TEST_F(gang_queue, recalls_do_not_use_up_the_returns_of_the_others) {
  fill(2, 2, 2);
  for (std::uint32_t run = 1; run <= 3; ++run) {
    ASSERT_EQ(q.lease({1, 2})->started.size(), 2U);
    ASSERT_TRUE(q.report(1, run_phase::refused, run));
    ASSERT_TRUE(q.report(2, run_phase::stopped, run));
    EXPECT_EQ(q.state(1), "QUEUED");
    EXPECT_EQ(q.state(2), "QUEUED");
  }
  ASSERT_EQ(q.lease({1, 2})->started.size(), 2U);
  ASSERT_TRUE(q.report(2, run_phase::refused, 4));
  EXPECT_EQ(q.state(2), "QUEUED") << "its first return of its own";
  ASSERT_TRUE(q.report(1, run_phase::stopped, 4));
  ASSERT_EQ(q.lease({1, 2})->started.size(), 2U);
  ASSERT_TRUE(q.report(1, run_phase::refused, 5));
  EXPECT_EQ(q.stored(1).state, job_state::failed) << "its fourth return";
  EXPECT_EQ(q.state(2), "LEASED");
}

TEST_F(gang_queue, a_recalled_member_may_finish_first) {
  fill(3, 3, 3);
  ASSERT_TRUE(q.lease({1, 2, 3}));
  ASSERT_TRUE(q.run(q.core.lease_expired({{job_id(1), 1}}, 5)));
  ASSERT_TRUE(q.report(2, run_phase::succeeded));
  ASSERT_TRUE(q.report(3, run_phase::stopped));
  const auto delta = q.core.take_dirty();
  ASSERT_EQ(delta.jobs.set.size(), 2U);
  EXPECT_EQ(delta.jobs.set[0].gang->cardinality, 2U) << "those that ended are not missed";
  EXPECT_EQ(delta.jobs.set[0].gang->minimum_cardinality, 2U);
  EXPECT_EQ(q.lease({1, 3})->started.size(), 2U);
}

TEST_F(gang_queue, leases_that_lapse_together_requeue_together) {
  fill(3, 3, 3);
  ASSERT_TRUE(q.lease({1, 2, 3}));
  const std::vector<model::run_key> runs{{job_id(1), 1}, {job_id(2), 1}, {job_id(3), 1}};
  ASSERT_EQ(q.run(q.core.lease_expired(runs, 5))->taken, 3U);
  for (std::uint64_t number = 1; number <= 3; ++number) EXPECT_EQ(q.state(number), "QUEUED");
  EXPECT_EQ(q.effects<gang_changed>().at(0).requeued.size(), 3U);
}

TEST_F(gang_queue, a_failed_member_leaves_the_others_running) {
  fill(2, 2, 2);
  ASSERT_TRUE(q.lease({1, 2}));
  ASSERT_TRUE(q.report(1, run_phase::failed));
  EXPECT_TRUE(q.effects<stop_order>().empty());
  EXPECT_EQ(q.state(2), "LEASED");
}

TEST_F(gang_queue, a_cancelled_member_stays_cancelled_when_the_gang_is_recalled) {
  fill(2, 2, 2);
  ASSERT_TRUE(q.lease({1, 2}));
  ASSERT_TRUE(q.cancel({2}));
  ASSERT_TRUE(q.report(1, run_phase::refused));
  EXPECT_TRUE(q.effects<stop_order>().empty());
  ASSERT_TRUE(q.report(2, run_phase::stopped));
  EXPECT_EQ(q.stored(2).state, job_state::cancelled);
}

TEST_F(gang_queue, is_found_again_at_recovery) {
  fill(3, 2, 3);
  ASSERT_TRUE(q.lease({1, 2, 3}));
  ASSERT_TRUE(q.report(3, run_phase::succeeded));
  queue_core again{"q"};
  again.restore(*q.core.settings());
  q.core.for_each([&](const model::job_record& record) { again.restore(record); });
  const auto gangs = again.gangs();
  ASSERT_EQ(gangs.size(), 1U);
  EXPECT_EQ(gangs[0].gang->id, "g");
  ASSERT_EQ(gangs[0].members.size(), 2U);
  EXPECT_TRUE(gangs[0].members[0].placed);
  EXPECT_TRUE(gangs[0].members[0].ran);
}

}  // namespace
}  // namespace argosy::ledger
