// SPDX-License-Identifier: Apache-2.0
// Goal: for how long ended jobs are kept follows from the most specific rule, and an event names
// exactly the queues and states that have jobs which are too old. Method: rules and oldest jobs by
// hand.
#include "runtime/ledger/retention.hpp"

#include <gmock/gmock.h>

namespace argosy::ledger {
namespace {

using model::ended_before;
using model::history_expired;
using model::job_state;
using std::chrono::nanoseconds;
using ::testing::ElementsAre;

constexpr auto states = {job_state::succeeded, job_state::failed, job_state::preempted,
                         job_state::cancelled, job_state::rejected};

/// Keeps everything else for longer than these tests last.
retention_config rules_of(nanoseconds jobs) {
  retention_config out;
  out.jobs = jobs;
  return out;
}

queue_retention rule_of(std::string queue, kept_by_state::span all,
                        kept_by_state::span failed = {}) {
  queue_retention out;
  out.pattern = std::move(queue);
  out.all = all;
  out.by_state.failed = failed;
  return out;
}

TEST(retention, keeps_all_ended_jobs_alike_without_further_rules) {
  const auto rules = rules_of(nanoseconds{7});
  for (const auto state : states) EXPECT_EQ(kept_for(rules, "q", state), nanoseconds{7});
}

TEST(retention, keeps_each_state_for_a_span_of_its_own) {
  auto rules = rules_of(nanoseconds{7});
  auto& by_state = rules.jobs_by_state;
  by_state = {nanoseconds{1}, nanoseconds{2}, nanoseconds{3}, nanoseconds{4}, nanoseconds{5}};
  std::int64_t number = 0;
  for (const auto state : states) EXPECT_EQ(kept_for(rules, "q", state), nanoseconds{++number});
  by_state.failed.reset();
  EXPECT_EQ(kept_for(rules, "q", job_state::failed), nanoseconds{7});
}

TEST(retention, lets_the_most_specific_rule_decide_that_says_something) {
  auto rules = rules_of(nanoseconds{7});
  rules.jobs_by_state.failed = nanoseconds{14};
  rules.jobs_by_queue = {rule_of("ci-*", nanoseconds{2}),
                         rule_of("ci-nightly", {}, nanoseconds{30}),
                         rule_of("ci-night*", nanoseconds{3}), rule_of("*", nanoseconds{5})};
  const auto kept = [&](std::string_view queue, job_state state) {
    return kept_for(rules, queue, state).count();
  };
  EXPECT_EQ(kept("ci-nightly", job_state::failed), 30);
  EXPECT_EQ(kept("ci-nightly", job_state::succeeded), 3) << "its own rule says nothing of these";
  EXPECT_EQ(kept("ci-nightly2", job_state::failed), 3) << "a rule for queues before one for all";
  EXPECT_EQ(kept("ci-", job_state::failed), 2);
  EXPECT_EQ(kept("ci", job_state::failed), 5);
  rules.jobs_by_queue.pop_back();
  EXPECT_EQ(kept("ci", job_state::failed), 14);
  EXPECT_EQ(kept("ci", job_state::cancelled), 7);
}

TEST(retention, takes_a_whole_name_before_the_beginning_that_is_as_long) {
  auto rules = rules_of(nanoseconds{7});
  for (int turn = 0; turn < 2; ++turn) {
    rules.jobs_by_queue = {rule_of("ab", nanoseconds{1}), rule_of("ab*", nanoseconds{2})};
    if (turn == 1) std::swap(rules.jobs_by_queue[0], rules.jobs_by_queue[1]);
    EXPECT_EQ(kept_for(rules, "ab", job_state::failed), nanoseconds{1});
    EXPECT_EQ(kept_for(rules, "abc", job_state::failed), nanoseconds{2});
  }
}

TEST(retention, knows_the_shortest_span) {
  retention_config rules;
  EXPECT_EQ(shortest_kept(rules), std::chrono::hours{7 * 24});
  rules.jobs_by_state.rejected = nanoseconds{9};
  EXPECT_EQ(shortest_kept(rules), nanoseconds{9});
  rules.jobs_by_queue = {rule_of("q", nanoseconds{8}, nanoseconds{6})};
  EXPECT_EQ(shortest_kept(rules), nanoseconds{6});
  rules.client_ids = nanoseconds{5};
  EXPECT_EQ(shortest_kept(rules), nanoseconds{5});
}

TEST(retention, names_the_queues_and_states_that_have_jobs_which_are_too_old) {
  auto rules = rules_of(nanoseconds{100});
  rules.jobs_by_state.failed = nanoseconds{300};
  rules.jobs_by_queue = {rule_of("long", nanoseconds{500})};
  oldest_kept oldest;
  oldest.ended = {{"a", job_state::succeeded, 899},
                  {"a", job_state::failed, 899},
                  {"b", job_state::succeeded, 900},
                  {"b", job_state::failed, 699},
                  {"long", job_state::succeeded, 899}};
  const auto event = expire_due(rules, oldest, 1'000);
  ASSERT_TRUE(event);
  const auto& limits = std::get<history_expired>(event->payload);
  EXPECT_THAT(limits.ended, ElementsAre(ended_before{"a", job_state::succeeded, 900},
                                        ended_before{"b", job_state::failed, 700}));
  oldest.ended = {{"a", job_state::failed, 899}};
  EXPECT_FALSE(expire_due(rules, oldest, 1'000));
}

TEST(retention, names_a_bounded_number_of_them_at_a_time) {
  const auto rules = rules_of(nanoseconds{100});
  oldest_kept oldest;
  for (std::size_t number = 0; number < ended_limits_max + 5; ++number)
    oldest.ended.push_back({model::queue_name{"q" + std::to_string(number)}, job_state::failed, 0});
  const auto event = expire_due(rules, oldest, 1'000);
  ASSERT_TRUE(event);
  EXPECT_EQ(std::get<history_expired>(event->payload).ended.size(), ended_limits_max);
}

}  // namespace
}  // namespace argosy::ledger
