// SPDX-License-Identifier: Apache-2.0
// Goal: a held job keeps its place and is not scheduled until it is released; running jobs are left
// alone; a gang is held as a whole. Method: a queue_core is driven as its actor does it; what the
// next snapshot would hear is looked at after each step.
#include <gmock/gmock.h>

#include <set>

#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

job_selection these(const std::vector<std::uint64_t>& jobs) {
  job_selection which;
  for (const auto number : jobs) which.ids.push_back(job_id(number));
  return which;
}

job_selection set_of(const std::string& job_set) {
  job_selection which;
  which.whole = true;
  which.job_set = job_set;
  return which;
}

struct hold : ::testing::Test {
  selection_reply change(const job_selection& which, bool on) {
    auto done = queue.run(queue.core.hold(which, on, "bob", on ? "no input" : "", ++queue.now));
    EXPECT_TRUE(done);
    return done ? *done : selection_reply{};
  }
  selection_reply held(const job_selection& which) { return change(which, true); }
  selection_reply released(const job_selection& which) { return change(which, false); }

  /// The jobs that rounds look at, by number.
  std::set<std::uint64_t> in_rounds() {
    const auto delta = queue.core.take_dirty();
    for (const auto& id : delta.jobs.removed) snapshot.erase(id);
    for (const auto& item : delta.jobs.set) snapshot.insert(item.header->id);
    std::set<std::uint64_t> out;
    for (std::uint64_t number = 1; number < 20; ++number)
      if (snapshot.contains(job_id(number))) out.insert(number);
    return out;
  }

  queue_driver queue;
  std::set<ulid> snapshot;
};

using numbers = std::set<std::uint64_t>;

TEST_F(hold, takes_a_queued_job_out_of_rounds_until_it_is_released) {
  (void)queue.submit({job_named(1), job_named(2)});
  EXPECT_EQ(in_rounds(), (numbers{1, 2}));
  EXPECT_THAT(held(these({1})).ids, ElementsAre(job_id(1)));
  EXPECT_EQ(in_rounds(), numbers{2});
  const auto& hold = queue.stored(1).hold;
  ASSERT_NE(hold, nullptr);
  EXPECT_EQ(*hold, (model::job_hold{"bob", "no input", queue.now}));
  EXPECT_EQ(queue.state(1), "QUEUED");
  EXPECT_EQ(queue.core.holds().by_somebody(), 1U);
  EXPECT_THAT(released(these({1})).ids, ElementsAre(job_id(1)));
  EXPECT_EQ(in_rounds(), (numbers{1, 2}));
  EXPECT_EQ(queue.stored(1).hold, nullptr);
  EXPECT_EQ(queue.core.holds().by_somebody(), 0U);
  EXPECT_EQ(queue.story(1), (words{"job_submitted", "job_held", "job_released"}));
}

TEST_F(hold, of_held_and_release_of_others_change_nothing) {
  (void)queue.submit({job_named(1), job_named(2)});
  (void)held(these({1}));
  EXPECT_THAT(held(these({1, 9})).ids, IsEmpty());
  EXPECT_THAT(queue.last_events, IsEmpty());
  EXPECT_THAT(released(these({2, 9})).ids, IsEmpty());
  EXPECT_THAT(queue.last_events, IsEmpty());
  EXPECT_FALSE(queue.core.hold(job_selection{}, true, "bob", "", 1).reply);
}

TEST_F(hold, refuses_a_plan_that_was_made_before) {
  (void)queue.submit({job_named(1), job_named(2)});
  (void)held(these({1}));
  const auto placed = queue.lease({1, 2});
  ASSERT_TRUE(placed);
  ASSERT_THAT(placed->refused, SizeIs(1));
  EXPECT_EQ(placed->refused[0].reason, "the job is held");
  EXPECT_EQ(queue.state(2), "LEASED");
}

TEST_F(hold, leaves_jobs_with_a_run_alone_and_counts_them) {
  (void)queue.submit({job_named(1), job_named(2), job_named(3)});
  (void)queue.lease({1, 2});
  const auto done = held(set_of("set-1"));
  EXPECT_THAT(done.ids, ElementsAre(job_id(3)));
  EXPECT_EQ(done.running, 2U);
  EXPECT_EQ(queue.state(1), "LEASED");
  EXPECT_EQ(queue.core.find(job_id(1))->hold, nullptr);
}

TEST_F(hold, of_a_job_set_does_not_hold_what_is_submitted_later) {
  (void)queue.submit({job_named(1, "a"), job_named(2, "b")});
  (void)held(set_of("a"));
  (void)queue.submit({job_named(3, "a")});
  EXPECT_EQ(in_rounds(), (numbers{2, 3}));
}

TEST_F(hold, ends_with_the_job) {
  (void)queue.submit({job_named(1)});
  (void)held(these({1}));
  EXPECT_TRUE(queue.cancel({1}));
  EXPECT_EQ(queue.state(1), "GONE");
  EXPECT_EQ(queue.stored(1).hold, nullptr);
  EXPECT_EQ(queue.core.holds().by_somebody(), 0U);
}

TEST_F(hold, does_not_keep_the_priority_from_being_changed) {
  (void)queue.submit({job_named(1)});
  (void)held(these({1}));
  (void)queue.run(queue.core.reprioritize(these({1}), 3, "bob", ++queue.now));
  EXPECT_EQ(queue.stored(1).priority, 3U);
  EXPECT_NE(queue.stored(1).hold, nullptr);
}

TEST_F(hold, is_kept_by_the_store_and_by_the_log) {
  (void)queue.submit({job_named(1), job_named(2)});
  (void)held(these({1}));
  queue_core restored{"q"};
  restored.restore(*queue.core.settings());
  restored.restore(queue.stored(1));
  restored.restore(queue.stored(2));
  queue_core replayed{"q"};
  for (const auto& e : queue.log) (void)replayed.apply(e);
  for (auto* core : {&restored, &replayed}) {
    EXPECT_EQ(core->holds().by_somebody(), 1U);
    EXPECT_EQ(*core->find(job_id(1))->hold, *queue.stored(1).hold);
    core->touch_all();
    EXPECT_THAT(core->take_dirty().jobs.set, SizeIs(1));
    EXPECT_THAT(core->hold(these({1}), false, "bob", "", 9).reply->ids, SizeIs(1));
  }
}

TEST_F(hold, has_no_event_in_the_job_set) {
  (void)queue.submit({job_named(1)});
  const auto before = queue.changes.size();
  (void)held(these({1}));
  for (auto at = before; at < queue.changes.size(); ++at)
    EXPECT_FALSE(std::holds_alternative<index_event>(queue.changes[at]));
}

TEST_F(hold, begins_with_the_submission_if_the_job_says_so) {
  auto job = job_named(1);
  job.held = true;
  (void)queue.submit({job, job_named(2)});
  EXPECT_EQ(in_rounds(), numbers{2});
  EXPECT_EQ(*queue.stored(1).hold, (model::job_hold{"alice", "submitted so", queue.now}));
  (void)released(these({1}));
  EXPECT_EQ(in_rounds(), (numbers{1, 2}));
}

struct hold_of_a_gang : hold {
  model::job_header member(std::uint64_t number, bool held = false) {
    auto job = job_named(number);
    job.gang = gang_of("g", 3);
    job.held = held;
    return job;
  }
};

TEST_F(hold_of_a_gang, holds_and_releases_all_members_by_one_event) {
  (void)queue.submit({member(1), member(2), member(3), job_named(4)});
  EXPECT_EQ(in_rounds(), (numbers{1, 2, 3, 4}));
  EXPECT_THAT(held(these({2})).ids, ElementsAre(job_id(1), job_id(2), job_id(3)));
  EXPECT_THAT(queue.last_events, SizeIs(1));
  EXPECT_EQ(in_rounds(), numbers{4});
  for (const auto number : {1, 2, 3})
    EXPECT_NE(queue.stored(static_cast<std::uint64_t>(number)).hold, nullptr);
  EXPECT_THAT(released(these({3, 1})).ids, SizeIs(3));
  EXPECT_THAT(queue.last_events, SizeIs(1));
  EXPECT_EQ(in_rounds(), (numbers{1, 2, 3, 4}));
}

TEST_F(hold_of_a_gang, holds_members_that_come_later) {
  (void)queue.submit({member(1)});
  (void)held(these({1}));
  (void)queue.submit({member(2), member(3)});
  EXPECT_EQ(in_rounds(), numbers{});
  EXPECT_EQ(queue.core.holds().by_somebody(), 3U);
  (void)released(these({2}));
  EXPECT_EQ(in_rounds(), (numbers{1, 2, 3}));
}

TEST_F(hold_of_a_gang, begins_with_the_one_member_that_says_so) {
  (void)queue.submit({member(1), member(2, true), member(3)});
  EXPECT_EQ(in_rounds(), numbers{});
  EXPECT_EQ(queue.core.holds().by_somebody(), 3U);
}

TEST_F(hold_of_a_gang, that_runs_does_not_touch_it) {
  (void)queue.submit({member(1), member(2), member(3)});
  (void)queue.lease({1, 2, 3});
  const auto done = held(these({1}));
  EXPECT_THAT(done.ids, IsEmpty());
  EXPECT_EQ(done.running, 1U);
}

TEST_F(hold_of_a_gang, is_counted_with_all_members_when_it_is_divided) {
  (void)queue.submit({member(1), member(2), member(3), job_named(4)});
  auto which = these({4, 2});
  which.with_gangs = true;
  EXPECT_THAT(*queue.core.select(which), ElementsAre(job_id(2), job_id(1), job_id(3), job_id(4)));
  EXPECT_THAT(held(which).ids, SizeIs(4));
  (void)released(which);
  (void)queue.lease({1, 2, 3});
  EXPECT_THAT(*queue.core.select(which), ElementsAre(job_id(2), job_id(4)))
      << "those that run are not held with it";
}

TEST_F(hold_of_a_gang, takes_in_members_whose_runs_come_back) {
  (void)queue.submit({member(1), member(2), member(3)});
  (void)queue.lease({1, 2, 3});
  (void)queue.report(1, model::run_phase::refused);
  ASSERT_EQ(queue.state(1), "QUEUED");
  EXPECT_THAT(held(these({1})).ids, ElementsAre(job_id(1)));
  (void)queue.report(2, model::run_phase::stopped);
  (void)queue.report(3, model::run_phase::stopped);
  EXPECT_EQ(queue.state(2), "QUEUED");
  EXPECT_EQ(queue.core.holds().by_somebody(), 3U);
  EXPECT_EQ(in_rounds(), numbers{});
}

TEST(hold_text, says_who_since_when_and_why) {
  EXPECT_EQ(to_string(model::job_hold{"ann", "no input", 1'700'000'000'000'000'000}),
            "held by ann since 2023-11-14 22:13:20 UTC: no input");
  EXPECT_EQ(to_string(model::job_hold{"", "", 0}),
            "held by somebody since 1970-01-01 00:00:00 UTC");
}

TEST_F(hold, by_nobody_blocks_a_job_that_no_pool_could_take) {
  (void)queue.submit({job_named(1), job_named(2)});
  (void)in_rounds();
  const auto judge = [&](const unfit_findings& found) {
    const auto done = queue.run(judge_unfit(queue.core, found, ++queue.now));
    EXPECT_TRUE(done);
  };
  judge({{{job_id(1), "too large"}}, {}, {}});
  EXPECT_EQ(queue.core.holds().blocked.size(), 1U);
  EXPECT_EQ(queue.core.holds().by_somebody(), 0U) << "nobody holds it";
  const auto delta = queue.core.take_dirty();
  ASSERT_THAT(delta.jobs.set, SizeIs(1)) << "rounds do not lose sight of it";
  EXPECT_EQ(delta.jobs.set[0].blocked_ns, queue.now);
  EXPECT_THAT(released(these({1})).ids, IsEmpty()) << "only a node could release it";
  judge({{}, {job_id(1), job_id(2)}, {}});
  EXPECT_EQ(queue.core.holds().blocked.size(), 0U);
  judge({{}, {}, {{job_id(1), "too large"}}});
  EXPECT_EQ(queue.core.count(model::job_state::queued), 2U) << "it is not blocked any more";
  judge({{{job_id(1), "too large"}}, {}, {}});
  judge({{}, {}, {{job_id(1), "too large: 1 node"}}});
  EXPECT_EQ(queue.core.find(job_id(1)), nullptr);
  EXPECT_EQ(queue.core.totals().rejected, 1U);
  EXPECT_EQ(queue.core.holds().rejected, 1U);
  EXPECT_EQ(queue.core.holds().blocked.size(), 0U);
}

TEST_F(hold, by_somebody_takes_the_place_of_a_block) {
  (void)queue.submit({job_named(1)});
  const auto judge = [&](const unfit_findings& found) {
    (void)queue.run(judge_unfit(queue.core, found, ++queue.now));
  };
  judge({{{job_id(1), "too large"}}, {}, {}});
  EXPECT_THAT(held(these({1})).ids, ElementsAre(job_id(1)));
  EXPECT_EQ(queue.core.holds().by_somebody(), 1U);
  EXPECT_FALSE(queue.core.find(job_id(1))->hold->blocked);
  judge({{}, {job_id(1)}, {{job_id(1), "too large"}}});
  EXPECT_EQ(queue.core.holds().by_somebody(), 1U) << "it is neither released nor rejected";
  EXPECT_THAT(released(these({1})).ids, ElementsAre(job_id(1)));
}

TEST_F(hold_of_a_gang, by_nobody_ends_in_one_record_however_long_the_reason_is) {
  (void)queue.submit({member(1), member(2), member(3)});
  (void)queue.run(judge_unfit(queue.core, {{{job_id(1), "too large"}}, {}, {}}, ++queue.now));
  const std::string reason(4 * model::name_size_max, 'x');
  const auto decided = judge_unfit(queue.core, {{}, {}, {{job_id(1), reason}}}, ++queue.now);
  ASSERT_THAT(decided.events, SizeIs(3));
  for (const auto& each : decided.events)
    EXPECT_LT(std::get<model::job_rejected>(each.payload).reason.size(), 3 * model::name_size_max)
        << "a lease has three names besides the queue's";
}

TEST_F(hold_of_a_gang, by_nobody_does_not_stop_the_wait_for_members) {
  std::vector<model::job_header> all{member(1), member(2), member(3)};
  for (auto& each : all)
    each.gang = std::make_shared<const model::gang_info>(model::gang_info{"g", 3, 2, {}});
  (void)queue.submit(all);
  (void)queue.run(judge_unfit(queue.core, {{{job_id(2), "too large"}}, {}, {}}, ++queue.now));
  EXPECT_TRUE(queue.cancel({3}));
  ASSERT_EQ(queue.core.live_count(), 2U);
  const auto wait = queue.core.wait_of_gang("g", queue.now, 0);
  ASSERT_TRUE(wait);
  EXPECT_GE(wait->left_ns, 0) << "it would be looked at by nobody for ever";
}

TEST_F(hold_of_a_gang, of_members_that_are_blocked_holds_all) {
  (void)queue.submit({member(1), member(2), member(3)});
  (void)queue.run(judge_unfit(queue.core, {{{job_id(2), "too large"}}, {}, {}}, ++queue.now));
  EXPECT_THAT(held(these({1})).ids, SizeIs(3));
  EXPECT_EQ(queue.core.holds().by_somebody(), 3U);
}

TEST_F(hold_of_a_gang, by_nobody_and_its_end_concern_all_members) {
  (void)queue.submit({member(1), member(2), member(3)});
  (void)queue.run(judge_unfit(queue.core, {{{job_id(2), "too large"}}, {}, {}}, ++queue.now));
  EXPECT_EQ(queue.core.holds().blocked.size(), 3U);
  (void)queue.run(judge_unfit(queue.core, {{}, {}, {{job_id(1), "too large"}}}, ++queue.now));
  EXPECT_EQ(queue.core.totals().rejected, 3U);
  EXPECT_EQ(queue.core.live_count(), 0U);
}

}  // namespace
}  // namespace argosy::ledger
