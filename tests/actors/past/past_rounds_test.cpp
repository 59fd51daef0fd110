// SPDX-License-Identifier: Apache-2.0
// Goal: every round of the past can be decided again from the log just as it was, and says then
// what it made of a job. Method: a control plane in virtual time goes through a random history;
// then each round that the store has is decided again from a copy of the log, and its digest is
// compared with that in its record.
#include <gmock/gmock.h>

#include "messages/past/round_index.hpp"
#include "messages/proto/argosy/settings.pb.h"
#include "tests/actors/past/past_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST_F(past_rounds, are_decided_again_just_as_they_were) {
  begin();
  begin_fleet();
  live_through(60, 1);
  EXPECT_GT(expect_the_same_decisions(), 40U);
}

TEST_F(past_rounds, of_the_preset_that_decides_as_armada_are_decided_again_too) {
  file =
      "scheduling: {preset: current, maximumSchedulingBurst: 5, maximumSchedulingRate: 0.5,\n"
      "             maximumPerQueueSchedulingBurst: 3, maximumPerQueueSchedulingRate: 0.2}\n";
  begin();
  begin_fleet();
  live_through(60, 2);
  EXPECT_GT(expect_the_same_decisions(), 40U);
}

TEST_F(past_rounds, are_the_same_over_other_settings_a_restart_and_a_silent_cluster) {
  begin();
  begin_fleet();
  live_through(15, 3);
  file = "scheduling: {maximumSchedulingBurst: 2, maximumSchedulingRate: 0.1}\n";
  ask<v1::ChangeSettingsResponse>("Settings.Reload", v1::ReloadSettingsRequest{});
  live_through(15, 4);
  agents[0]->silent = true;
  pass(60s);
  live_through(10, 5);
  agents[0]->silent = false;
  pass(30s);
  stop();
  file = "scheduling: {maximumSchedulingBurst: 3, maximumSchedulingRate: 1}\n";
  begin();
  reconnect_agents();
  live_through(15, 6);
  EXPECT_GT(expect_the_same_decisions(), 40U);
}

TEST_F(past_rounds, are_the_same_from_a_copy_of_the_store_and_over_generations_of_the_log) {
  begin();
  begin_fleet();
  live_through(15, 7);
  roll_over();
  live_through(10, 8);
  copy_store();
  live_through(10, 9);
  roll_over();
  live_through(10, 10);
  const auto all = expect_the_same_decisions();
  EXPECT_GT(all, 40U);
  // Without the oldest generation only what is behind the copy can be decided again.
  const auto copied = copies.front().position;
  EXPECT_TRUE(log->empty({1}));
  auto archive = make_archive();
  for (const auto& record : records()) {
    const auto cycle = archive->cycle_of(record);
    ASSERT_EQ(cycle.has_value(), record.snapshot_position >= copied) << record.number;
    if (cycle) continue;
    EXPECT_THAT(cycle.error().detail, HasSubstr("cannot be decided again"));
  }
}

TEST_F(past_rounds, are_the_same_when_the_record_of_the_one_before_came_late) {
  file = "scheduling: {maximumSchedulingBurst: 2, maximumSchedulingRate: 0.05}\n";
  begin();
  create_queue("a");
  add_agent("near", {node_of("n1", 8)});
  submit("a");
  pass(1500ms);
  submit("a", {.count = 4});
  pass(3s);
  const auto all = records();
  std::size_t tried = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto& late = all[i - 1];
    const auto& next = all[i];
    ASSERT_LT(late.snapshot_position, next.snapshot_position) << "they are of one pool";
    const auto with_late = log_with_late_record(late.number, next.number);
    const auto cycle = past::rebuild_cycle(source_of(*with_late), next);
    ASSERT_TRUE(cycle) << cycle.error().detail;
    EXPECT_TRUE(cycle->rounds.front().is_same())
        << "round " << next.number << " lacked the tokens that round " << late.number << " took";
    tried += next.leases > 0 ? 1 : 0;
  }
  EXPECT_GT(tried, 0U) << "a round that places jobs follows one that did";
}

TEST_F(past_rounds, of_a_time_with_more_jobs_than_may_be_held_are_refused) {
  begin();
  create_queue("a");
  add_agent("near", {node_of("n1", 1)});
  const auto early = submit("a", {.count = 2}).at(1);
  pass(3s);
  const auto few = records().back();
  for (int i = 0; i < 70; ++i) submit("a", {.count = 2});
  pass(3s);
  const auto many = records().back();
  live_jobs_max = 100;
  const auto expect_refused = [&] {
    const auto archive = make_archive();
    const auto refused = archive->cycle_of(many);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ec::too_large);
    EXPECT_THAT(refused.error().detail, HasSubstr("more than 100 jobs were live then"));
    EXPECT_THAT(refused.error().detail, HasSubstr("api.pastJobsMax"));
  };
  expect_refused();
  ASSERT_TRUE(make_archive()->cycle_of(few));
  past::history_bounds bounds;
  bounds.until_ns = to_nanos(clock.wall());
  const auto history = make_archive()->history(parse_ulid(early).value(), bounds);
  ASSERT_TRUE(history) << history.error().detail;
  EXPECT_GT(history->rounds_decided(), 0U);
  EXPECT_THAT(history->stopped(), HasSubstr("more than 100 jobs"));
  copy_store();
  pass(3s);
  submit("a");
  pass(3s);
  EXPECT_EQ(make_archive()->cycle_of(records().back()).error().code, ec::too_large)
      << "the copy has too many itself";
  live_jobs_max = 0;
  EXPECT_TRUE(make_archive()->cycle_of(many));
}

TEST_F(past_rounds, say_what_they_made_of_a_job) {
  begin();
  create_queue("a");
  create_queue("b");
  auto& agent = add_agent("near", {node_of("n1", 4)});
  const auto first = submit("a", {.count = 4, .priority_class = "armada-preemptible"});
  pass(2s);
  const auto started = job(first[0]);
  ASSERT_EQ(started.state(), api::RUNNING);
  const auto begun = explain(first[0], records().front().number);
  EXPECT_EQ(begun.past().decision(), "started");
  EXPECT_TRUE(begun.past().same_decisions());
  EXPECT_EQ(begun.run().node(), "n1");
  EXPECT_EQ(begun.state(), "QUEUED") << "as it was when the round began";

  const auto waits = submit("a", {.priority_class = "armada-preemptible"}).at(0);
  pass(2s);
  const auto left = records().back().number;
  const auto winner = submit("b", {.cpu = "2", .priority_class = "armada-preemptible"}).at(0);
  pass(3s);
  for (const auto& id : first)
    if (agent.has(id)) agent.end(id, run_phase::succeeded);
  pass(5s);
  EXPECT_EQ(job(waits).state(), api::RUNNING) << "it does not wait any more";
  const auto then = explain(waits, left);
  EXPECT_EQ(then.past().decision(), "left waiting");
  EXPECT_EQ(then.past().number(), left);
  EXPECT_EQ(then.state(), "QUEUED");
  ASSERT_EQ(then.pools_size(), 1);
  EXPECT_THAT(then.pools(0).nodes(0).why(), HasSubstr("has no cpu free"));
  EXPECT_TRUE(then.past().same_decisions());

  std::string victim;
  for (const auto& id : first)
    if (job(id).state() == api::PREEMPTED) victim = id;
  ASSERT_NE(victim, "");
  std::uint64_t taken = 0;
  for (const auto& record : records())
    if (record.preemptions > 0) taken = record.number;
  const auto lost = explain(victim, taken);
  EXPECT_EQ(lost.past().decision(), "preempted");
  EXPECT_EQ(lost.run().preemptor(), winner);
  EXPECT_THAT(lost.verdict(), HasSubstr("of queue b"));
  EXPECT_THAT(lost.notes(), ElementsAre(HasSubstr("queue a used 100.0% of the pool"),
                                        HasSubstr("queue b used 0.0% of the pool")));
}

TEST_F(past_rounds, whose_draws_were_ended_in_time_are_decided_the_same) {
  file = "scheduling: {preset: lottery, queueSelection: lottery}\n";
  live_settings_test::begin([this](actors::root_config& with) {
    with.archive = make_archive();
    with.rounds.decide = [](const native::round_request& request) {
      auto params = request.params;
      params.draws_end = [drawn = 0]() mutable { return ++drawn == 2; };
      return scheduling::schedule(*request.snapshot, *request.config, params);
    };
  });
  for (const auto* queue : {"a", "b", "c"}) create_queue(queue);
  add_agent("near", {node_of("n1", 8), node_of("n2", 8)});
  for (const auto* queue : {"a", "b", "c"}) submit(queue, {.count = 5});
  pass(10s);
  const auto all = records();
  EXPECT_GT(std::ranges::count(all, 2U, &model::round_decided::draw_limit), 4);
  EXPECT_GT(expect_the_same_decisions(), 4U);
}

TEST_F(past_rounds, say_why_jobs_waited_that_they_never_tried) {
  begin();
  create_queue("a");
  auto& agent = add_agent("near", {node_of("n1", 1)});
  const auto first = submit("a").at(0);
  pass(2s);
  const auto rest = submit("a", {.count = 150});
  pass(2s);
  const auto left = records().back().number;
  for (const auto* id : {&rest.front(), &rest[70], &rest.back()})
    EXPECT_EQ(explain(*id, 0).code(), "JOB_DOES_NOT_FIT");
  agent.end(first, run_phase::succeeded);
  pass(3s);
  for (const auto* id : {&rest.front(), &rest[70], &rest.back()}) {
    const auto then = explain(*id, left);
    EXPECT_EQ(then.code(), "JOB_DOES_NOT_FIT");
    EXPECT_EQ(then.past().decision(), "left waiting");
    ASSERT_EQ(then.pools_size(), 1);
    ASSERT_EQ(then.pools(0).stops_size(), 1);
    EXPECT_EQ(then.pools(0).stops(0).jobs(), 150U);
    ASSERT_EQ(then.pools(0).stops(0).kinds_size(), 1);
    EXPECT_EQ(then.pools(0).stops(0).kinds(0).jobs(), 150U);
  }
}

TEST_F(past_rounds, that_there_never_were_or_that_knew_no_such_job_are_refused) {
  begin();
  create_queue("a");
  add_agent("near", {node_of("n1", 1)});
  const auto early = submit("a").at(0);
  pass(3s);
  const auto last = records().back().number;
  const auto late = submit("a").at(0);
  pass(3s);
  const auto refusal = [&](const std::string& id, std::uint64_t round, std::int64_t at_ns) {
    v1::ExplainJobRequest request;
    request.set_job_id(id);
    request.set_round(round);
    request.set_at_ns(at_ns);
    const auto answer = call("Explain.ExplainJob", request);
    EXPECT_FALSE(answer);
    return answer ? error{} : answer.error();
  };
  EXPECT_EQ(refusal(early, 999'999, 0).code, ec::not_found);
  EXPECT_THAT(refusal(early, 999'999, 0).detail, HasSubstr("no round 999999"));
  EXPECT_THAT(refusal(early, 0, 1).detail, HasSubstr("no round before that time"));
  EXPECT_THAT(refusal(late, last, 0).detail, HasSubstr("had not been submitted yet"));
  EXPECT_EQ(refusal("x", last, 0).code, ec::invalid_argument);
  EXPECT_EQ(refusal(early, last, 1).code, ec::invalid_argument) << "round and time";
  EXPECT_EQ(refusal(early, 0, -1).code, ec::invalid_argument);
}

TEST_F(past_rounds, that_a_time_names_are_of_a_pool_in_which_the_job_could_run) {
  begin();
  create_queue("a");
  // Rounds of this pool come last of those that begin together.
  add_agent("far", {node_of("n1", 4)}, "other");
  add_agent("near", {node_of("n1", 8)});
  const auto runs = submit("a", {.cpu = "6"}).at(0);
  pass(3s);
  ASSERT_EQ(job(runs).pool(), "default");
  const auto waits = submit("a", {.cpu = "6"}).at(0);
  for (int i = 0; i < 3; ++i) {
    pass(2s);
    submit("a");
  }
  pass(3s);
  bool was_there = false;
  std::size_t tried = 0;
  for (const auto& record : records()) {
    if (record.began_ns < job(waits).submitted_ns()) continue;
    was_there = was_there || record.pool == "default";
    if (!was_there || record.pool == "default") continue;
    ++tried;
    for (const auto& id : {waits, runs}) {
      v1::ExplainJobRequest request;
      request.set_job_id(id);
      request.set_at_ns(record.began_ns);
      const auto told = ask<v1::JobExplanation>("Explain.ExplainJob", request);
      EXPECT_EQ(told.past().pool(), "default") << id << ", round " << record.number;
      EXPECT_LT(told.past().number(), record.number);
      EXPECT_EQ(explain(id, record.number).past().pool(), record.pool) << "it was named";
    }
  }
  EXPECT_GT(tried, 0U);
}

TEST_F(past_rounds, are_found_by_a_time) {
  begin();
  create_queue("a");
  add_agent("near", {node_of("n1", 1)});
  for (int i = 0; i < 4; ++i) {
    submit("a");
    pass(2s);
  }
  auto txn = database->begin_read();
  ASSERT_TRUE(txn);
  const auto all = records();
  ASSERT_GT(all.size(), 2U);
  for (const auto& record : all) {
    const auto found = past::last_round_before(**txn, record.began_ns);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->round.number, record.number);
    const auto before = past::last_round_before(**txn, record.began_ns - 1);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->has_value() ? (*before)->round.number : 0, record.number - 1);
  }
}

}  // namespace argosy::tests
