// SPDX-License-Identifier: Apache-2.0
// Goal: a failed run is tried again as the first policy of its queue says, and the job ends when
// that says so. Method: one core with policies, driven as its actor drives it.
#include <gmock/gmock.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::retry_action;
using model::run_phase;

queue_config switched_on() {
  queue_config out;
  out.retries = {true, 5};
  return out;
}

const model::run_outcome exit_7{7, 0, "Error", "it exited with 7"};

struct queue_retry : ::testing::Test {
  queue_retry() { use({{"p", 2, retry_action::retry, {}}}); }

  void use(std::vector<model::retry_policy> all) {
    auto next = std::make_shared<retry_policies>();
    for (auto& each : all) next->emplace(each.name, each);
    q.core.use_policies(next);
  }
  ec name(std::vector<std::string> policies) {
    auto settings = *q.core.settings();
    settings.retry_policies = std::move(policies);
    const auto done = q.run(q.core.set(settings, write_mode::upsert, ++q.now));
    return done ? ec::none : done.error().code;
  }
  /// Has run `number` of job 1 fail, which is leased first.
  void fail_run(std::uint32_t number, model::run_outcome outcome = exit_7) {
    EXPECT_EQ(q.lease({1})->started.size(), 1U);
    EXPECT_EQ(q.report(1, run_phase::failed, number, std::move(outcome))->taken, 1U);
  }
  [[nodiscard]] const model::job_record* job() const { return q.core.find(job_id(1)); }

  queue_driver q{switched_on()};
};

TEST_F(queue_retry, a_policy_that_does_not_exist_cannot_be_named) {
  EXPECT_EQ(name({"p", "other"}), ec::invalid_argument);
  EXPECT_EQ(name({"p"}), ec::none);
}

TEST_F(queue_retry, a_job_is_tried_again_as_often_as_its_policy_says) {
  ASSERT_EQ(name({"p"}), ec::none);
  ASSERT_TRUE(q.submit({job_named(1)}));
  fail_run(1);
  ASSERT_NE(job(), nullptr);
  EXPECT_EQ(job()->state, model::job_state::queued);
  EXPECT_EQ(job()->runs.front().state, model::run_state::failed);
  EXPECT_EQ(job()->runs.front().outcome, exit_7);
  fail_run(2);
  EXPECT_EQ(retries_of(*job()), 2U);
  fail_run(3);
  EXPECT_EQ(job(), nullptr);
  const auto& events = q.last_events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<model::run_noted>(events[0].payload).note,
            "retry policy 'p' allows 2 retries");
  EXPECT_EQ(std::get<model::run_failed>(events[1].payload).outcome, exit_7);
  EXPECT_EQ(q.core.totals().failed, 1U);
}

TEST_F(queue_retry, the_failure_counts_for_its_node_whether_or_not_it_is_tried_again) {
  ASSERT_EQ(name({"p"}), ec::none);
  ASSERT_TRUE(q.submit({job_named(1)}));
  fail_run(1);
  ASSERT_EQ(q.last_effects.size(), 1U);
  EXPECT_EQ(std::get<run_over>(q.last_effects[0]).verdict, run_verdict::failed);
}

TEST_F(queue_retry, the_rule_says_where_the_next_run_goes_and_what_it_gets) {
  use({{"p", 2, retry_action::fail, {{retry_action::retry, "oom", "", true, {{2.0, {}}}}}}});
  ASSERT_EQ(name({"p"}), ec::none);
  ASSERT_TRUE(q.submit({job_named(1), job_named(2)}));
  fail_run(1, {137, 9, "OOMKilled", ""});
  ASSERT_NE(job(), nullptr);
  EXPECT_EQ(job()->header->shape->requests,
            (model::resource_list{{"cpu", 1000}, {"memory", 2 << 20}}));
  EXPECT_EQ(job()->header->shape->affinity.size(), 1U);
  EXPECT_EQ(make_start(*job()->header, 2, model::node_name{"n2"}).requests,
            job()->header->shape->requests);
  EXPECT_TRUE(q.core.find(job_id(2))->header->shape->affinity.empty()) << "others stay as they are";
  fail_run(2);
  EXPECT_EQ(job(), nullptr) << "an exit code has no rule, and the default is to fail";
}

TEST_F(queue_retry, only_the_first_policy_counts) {
  use({{"p", 2, retry_action::fail, {}}, {"r", 2, retry_action::retry, {}}});
  ASSERT_EQ(name({"p", "r"}), ec::none);
  ASSERT_TRUE(q.submit({job_named(1)}));
  fail_run(1);
  EXPECT_EQ(job(), nullptr);
}

TEST_F(queue_retry, gangs_and_jobs_that_fail_fast_are_not_tried_again) {
  ASSERT_EQ(name({"p"}), ec::none);
  auto hasty = job_named(1);
  hasty.fail_fast = true;
  ASSERT_TRUE(q.submit({std::move(hasty)}));
  fail_run(1);
  EXPECT_EQ(job(), nullptr);
  auto first = job_named(2);
  auto second = job_named(3);
  first.gang = second.gang = gang_of("g", 2);
  ASSERT_TRUE(q.submit({std::move(first), std::move(second)}));
  ASSERT_EQ(q.lease({2, 3})->started.size(), 2U);
  EXPECT_TRUE(q.report(2, run_phase::failed, 1, exit_7));
  EXPECT_EQ(q.core.find(job_id(2)), nullptr);
}

TEST_F(queue_retry, a_job_that_is_being_cancelled_ends_as_such) {
  ASSERT_EQ(name({"p"}), ec::none);
  ASSERT_TRUE(q.submit({job_named(1)}));
  ASSERT_TRUE(q.lease({1}));
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, exit_7));
  EXPECT_EQ(job(), nullptr);
  EXPECT_EQ(q.core.totals().cancelled, 1U);
}

TEST_F(queue_retry, switched_off_a_policy_decides_nothing) {
  queue_driver off;
  auto all = std::make_shared<retry_policies>();
  all->emplace("p", model::retry_policy{"p", 2, retry_action::retry, {}});
  off.core.use_policies(all);
  auto settings = *off.core.settings();
  settings.retry_policies = {"p"};
  ASSERT_TRUE(off.run(off.core.set(settings, write_mode::upsert, ++off.now)));
  ASSERT_TRUE(off.submit({job_named(1)}));
  ASSERT_TRUE(off.lease({1}));
  ASSERT_TRUE(off.report(1, run_phase::failed, 1, exit_7));
  EXPECT_EQ(off.core.find(job_id(1)), nullptr);
  EXPECT_EQ(off.last_events.size(), 1U) << "nor is anything noted";
}

TEST_F(queue_retry, a_queue_that_names_no_policy_has_the_default_one_once_it_is_there) {
  auto config = switched_on();
  config.retries.default_policy = "usual";
  queue_driver with{config};
  ASSERT_TRUE(with.submit({job_named(1), job_named(2)}));
  ASSERT_TRUE(with.lease({1}));
  ASSERT_TRUE(with.report(1, run_phase::failed, 1, exit_7));
  EXPECT_EQ(with.core.find(job_id(1)), nullptr) << "the policy is not made yet";
  auto all = std::make_shared<retry_policies>();
  all->emplace("usual", model::retry_policy{"usual", 1, retry_action::retry, {}});
  all->emplace("own", model::retry_policy{"own", 1, retry_action::fail, {}});
  with.core.use_policies(all);
  ASSERT_TRUE(with.lease({2}));
  ASSERT_TRUE(with.report(2, run_phase::failed, 1, exit_7));
  EXPECT_EQ(with.state(2), "QUEUED");
  auto settings = *with.core.settings();
  settings.retry_policies = {"own"};
  ASSERT_TRUE(with.run(with.core.set(settings, write_mode::upsert, ++with.now)));
  ASSERT_TRUE(with.lease({2}));
  ASSERT_TRUE(with.report(2, run_phase::failed, 2, exit_7));
  EXPECT_EQ(with.state(2), "GONE") << "its own policy goes before";
}

TEST_F(queue_retry, a_policy_that_was_deleted_leaves_the_settings) {
  use({{"p", 2, retry_action::retry, {}}, {"r", 2, retry_action::retry, {}}});
  ASSERT_EQ(name({"p", "r"}), ec::none);
  use({{"r", 2, retry_action::retry, {}}});
  ASSERT_TRUE(q.run(q.core.drop_lost_policies(++q.now)));
  EXPECT_THAT(q.core.settings()->retry_policies, ::testing::ElementsAre("r"));
  EXPECT_TRUE(q.core.drop_lost_policies(++q.now).events.empty());
}

TEST_F(queue_retry, the_same_events_give_the_same_state) {
  use({{"p", 2, retry_action::retry, {{retry_action::retry, "user_error", "", true, {{{}, 5}}}}}});
  ASSERT_EQ(name({"p"}), ec::none);
  ASSERT_TRUE(q.submit({job_named(1)}));
  fail_run(1);
  queue_core again{"q", switched_on()};
  change_list changes;
  for (const auto& e : q.log) again.apply(e, changes);
  EXPECT_EQ(again.illegal_events(), 0U);
  EXPECT_EQ(*again.find(job_id(1))->header->shape, *job()->header->shape);
  EXPECT_EQ(again.find(job_id(1))->runs, job()->runs);
}

}  // namespace
}  // namespace argosy::ledger
