// SPDX-License-Identifier: Apache-2.0
// Goal: a job waits until the jobs that it names have become what it needs, starts in the moment in
// which they have, and ends at once when they never will; no hold, crash or gang changes that.
// Method: one core driven as its actor does it, and replays of its log and of its stored records.
#include <gmock/gmock.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::dependency_condition;
using model::job_state;
using model::run_phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::job_header waiting_for(std::uint64_t number, const std::vector<std::uint64_t>& others,
                              dependency_condition when = dependency_condition::succeeded) {
  auto job = job_named(number);
  std::vector<model::job_dependency> after;
  for (const auto other : others) after.push_back({job_id(other), when});
  job.after = std::make_shared<const std::vector<model::job_dependency>>(std::move(after));
  return job;
}

struct dependencies : ::testing::Test {
  bool waits(std::uint64_t job) const {
    const auto* record = queue.core.find(job_id(job));
    return record != nullptr && record->hold && record->hold->waits;
  }
  /// Whether a round may start it.
  bool starts(std::uint64_t job) { return queue.lease({job})->started.size() == 1; }
  void end(std::uint64_t job, run_phase how) {
    if (queue.state(job) == "QUEUED") ASSERT_TRUE(starts(job));
    ASSERT_TRUE(queue.report(job, run_phase::running));
    ASSERT_TRUE(queue.report(job, how, 1, how == run_phase::failed ? bad : model::run_outcome{}));
  }
  job_selection these(const std::vector<std::uint64_t>& jobs) const {
    job_selection which;
    for (const auto number : jobs) which.ids.push_back(job_id(number));
    return which;
  }

  queue_driver queue;
  const model::run_outcome bad{1, 0, "Error", "it failed"};
};

TEST_F(dependencies, hold_a_job_until_all_of_them_have_succeeded) {
  ASSERT_TRUE(queue.submit({job_named(1), job_named(2), waiting_for(3, {1, 2})}));
  EXPECT_TRUE(waits(3));
  EXPECT_EQ(queue.core.holds().by_somebody(), 0U) << "nobody holds it";
  EXPECT_EQ(queue.core.holds().waiting, 1U);
  EXPECT_THAT(to_string(*queue.stored(3).hold),
              "waits until job " + to_string(job_id(1)) + " has succeeded, and for 1 more");
  EXPECT_FALSE(starts(3));
  end(1, run_phase::succeeded);
  EXPECT_TRUE(waits(3));
  end(2, run_phase::succeeded);
  EXPECT_FALSE(waits(3));
  EXPECT_EQ(queue.stored(3).hold, nullptr) << "the store has that as well";
  EXPECT_EQ(queue.core.holds().waiting, 0U);
  EXPECT_TRUE(starts(3));
}

TEST_F(dependencies, take_the_condition_that_each_job_names) {
  ASSERT_TRUE(queue.submit({job_named(1), waiting_for(2, {1}, dependency_condition::started),
                            waiting_for(3, {1}, dependency_condition::failed),
                            waiting_for(4, {1}, dependency_condition::ended)}));
  ASSERT_TRUE(starts(1));
  EXPECT_TRUE(waits(2));
  ASSERT_TRUE(queue.report(1, run_phase::running));
  EXPECT_FALSE(waits(2));
  EXPECT_TRUE(waits(3));
  ASSERT_TRUE(queue.report(1, run_phase::failed, 1, bad));
  EXPECT_EQ(queue.state(2), "QUEUED");
  EXPECT_FALSE(waits(3));
  EXPECT_FALSE(waits(4));
}

TEST_F(dependencies, end_a_chain_in_the_decision_that_makes_it_impossible) {
  ASSERT_TRUE(queue.submit({job_named(1), waiting_for(2, {1}), waiting_for(3, {2}),
                            waiting_for(4, {3}, dependency_condition::ended)}));
  ASSERT_TRUE(starts(1));
  ASSERT_TRUE(queue.report(1, run_phase::failed, 1, bad));
  EXPECT_EQ(queue.stored(2).state, job_state::cancelled);
  EXPECT_EQ(queue.stored(2).reason,
            "it waited until job " + to_string(job_id(1)) + " has succeeded, which is FAILED");
  EXPECT_EQ(queue.stored(3).state, job_state::cancelled);
  EXPECT_THAT(queue.stored(3).reason, HasSubstr("which is CANCELLED"));
  EXPECT_EQ(queue.state(4), "QUEUED");
  EXPECT_FALSE(waits(4));
  // What follows stands first, so that no record of the log has the cause alone.
  std::vector<ulid> order;
  for (const auto& e : queue.last_events)
    if (const auto job = model::job_of(e); order.empty() || order.back() != job)
      order.push_back(job);
  EXPECT_THAT(order, ElementsAre(job_id(3), job_id(2), job_id(1)));
}

TEST_F(dependencies, hold_a_job_that_says_so_when_they_fail) {
  auto job = waiting_for(2, {1});
  job.hold_if_unmet = true;
  ASSERT_TRUE(queue.submit({job_named(1), job}));
  ASSERT_TRUE(queue.cancel({1}));
  EXPECT_EQ(queue.state(2), "QUEUED");
  EXPECT_FALSE(waits(2));
  EXPECT_TRUE(is_held(queue.stored(2).hold));
  EXPECT_FALSE(starts(2));
  ASSERT_TRUE(queue.run(queue.core.hold(these({2}), false, "bob", "", ++queue.now)));
  EXPECT_TRUE(starts(2));
}

TEST_F(dependencies, hold_a_gang_once_when_they_fail) {
  auto first = waiting_for(2, {1});
  auto second = waiting_for(3, {1});
  first.gang = second.gang = gang_of("g", 2);
  first.hold_if_unmet = second.hold_if_unmet = true;
  ASSERT_TRUE(queue.submit({job_named(1), first, second}));
  ASSERT_TRUE(queue.cancel({1}));
  for (const auto job : {2U, 3U}) EXPECT_TRUE(is_held(queue.stored(job).hold));
}

TEST_F(dependencies, outlast_a_hold_by_a_user) {
  ASSERT_TRUE(queue.submit({job_named(1), waiting_for(2, {1})}));
  ASSERT_TRUE(queue.run(queue.core.hold(these({2}), true, "bob", "later", ++queue.now)));
  EXPECT_TRUE(is_held(queue.stored(2).hold));
  EXPECT_EQ(queue.core.holds().by_somebody(), 1U);
  ASSERT_TRUE(queue.run(queue.core.hold(these({2}), false, "bob", "", ++queue.now)));
  EXPECT_TRUE(waits(2)) << "whoever releases it does not end its wait";
  EXPECT_EQ(queue.core.holds().by_somebody(), 0U);
  ASSERT_TRUE(queue.run(queue.core.hold(these({2}), false, "bob", "", ++queue.now)));
  EXPECT_TRUE(waits(2)) << "nor does a release without a hold";
  ASSERT_TRUE(queue.run(queue.core.hold(these({2}), true, "bob", "later", ++queue.now)));
  end(1, run_phase::succeeded);
  EXPECT_TRUE(is_held(queue.stored(2).hold));
  EXPECT_FALSE(starts(2));
  ASSERT_TRUE(queue.run(queue.core.hold(these({2}), false, "bob", "", ++queue.now)));
  EXPECT_TRUE(starts(2));
}

TEST_F(dependencies, hold_a_gang_as_a_whole) {
  auto first = waiting_for(2, {1});
  auto second = job_named(3);
  first.gang = second.gang = gang_of("g", 2);
  ASSERT_TRUE(queue.submit({job_named(1), second, first}));
  EXPECT_TRUE(waits(2));
  EXPECT_TRUE(waits(3));
  EXPECT_EQ(queue.core.holds().held, 2U);
  end(1, run_phase::succeeded);
  EXPECT_FALSE(waits(2));
  EXPECT_FALSE(waits(3));
  EXPECT_EQ(queue.core.holds().held, 0U);
  EXPECT_EQ(queue.lease({2, 3})->started.size(), 2U);
}

TEST_F(dependencies, that_end_a_member_end_its_gang) {
  auto first = waiting_for(2, {1});
  auto second = job_named(3);
  first.gang = second.gang = gang_of("g", 2);
  ASSERT_TRUE(queue.submit({job_named(1), first, second, waiting_for(4, {3})}));
  ASSERT_TRUE(queue.cancel({1}));
  for (const auto job : {2, 3, 4}) EXPECT_EQ(queue.state(static_cast<std::uint64_t>(job)), "GONE");
}

TEST_F(dependencies, are_refused_where_they_cannot_be_met) {
  ASSERT_TRUE(queue.submit({job_named(1)}));
  const auto refused = [&](std::vector<model::job_header> jobs, ec code, const char* why) {
    const auto done = queue.submit(std::move(jobs));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, code);
    EXPECT_THAT(done.error().detail, HasSubstr(why));
  };
  refused({waiting_for(2, {99})}, ec::invalid_argument, "has ended otherwise, is of another queue");
  refused({waiting_for(2, {2})}, ec::invalid_argument, "job 0: job ");
  refused({waiting_for(2, {3}), waiting_for(3, {2})}, ec::invalid_argument, "not stand before it");
  auto member = waiting_for(5, {4});
  auto mate = job_named(4);
  member.gang = mate.gang = gang_of("g", 2);
  ASSERT_TRUE(queue.submit({mate}));
  refused({member}, ec::invalid_argument, "is a member of its own gang");
}

TEST_F(dependencies, are_the_same_after_a_restart_at_any_moment) {
  ASSERT_TRUE(queue.submit({job_named(1), job_named(2), waiting_for(3, {1, 2})}));
  end(1, run_phase::succeeded);
  queue_core other{"q"};
  for (const auto& change : queue.changes) {
    if (const auto* put = std::get_if<put_queue>(&change)) other.restore(put->settings);
  }
  for (const auto job : {2U, 3U}) other.restore(queue.stored(job));
  EXPECT_TRUE(other.find(job_id(3))->hold->waits);
  change_list changes;
  const auto before = queue.log.size();
  end(2, run_phase::succeeded);
  for (auto at = before; at < queue.log.size(); ++at) other.apply(queue.log[at], changes);
  EXPECT_EQ(other.find(job_id(3))->hold, nullptr);
  EXPECT_EQ(other.holds().waiting, 0U);
}

}  // namespace
}  // namespace argosy::ledger
