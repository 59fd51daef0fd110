// SPDX-License-Identifier: Apache-2.0
// Goal: whoever asks how often which cause has kept a job gets counts and spans over all rounds
// since it was submitted, and which rounds were left out and why. Method: a control plane in
// virtual time; jobs wait for several causes one after the other.
#include <gmock/gmock.h>

#include "messages/proto/argosy/control.pb.h"
#include "tests/actors/past/past_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct histories : past_rounds {
  v1::JobHistory history(const std::string& job, std::uint32_t rounds_max = 0) {
    v1::ExplainJobHistoryRequest request;
    request.set_job_id(job);
    request.set_rounds_max(rounds_max);
    return ask<v1::JobHistory>("Explain.ExplainJobHistory", request);
  }
  static std::vector<std::string> codes(const v1::JobHistory& of) {
    std::vector<std::string> out;
    for (const auto& span : of.spans()) out.push_back(span.code());
    return out;
  }
  /// Lets rounds take place: without a change there are none.
  void stir(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      submit("a");
      pass(1100ms);
    }
  }
  /// The first submitted job runs on the only node, and the second waits for it.
  void begin_with_a_full_node() {
    begin();
    create_queue("a");
    add_agent("near", {node_of("n1", 1)});
    runs = submit("a").at(0);
    pass(2s);
    waits = submit("a").at(0);
    pass(1s);
    stir(4);
  }
  void hold(const std::string& id, bool on) {
    v1::HoldJobsRequest request;
    request.add_job_ids(id);
    ASSERT_TRUE(call(on ? "JobControl.HoldJobs" : "JobControl.ReleaseJobs", request));
  }

  std::string runs;
  std::string waits;
};

TEST_F(histories, name_rounds_that_are_refused_once_that_history_is_gone) {
  begin_with_a_full_node();
  const auto told = history(waits);
  v1::ExplainJobRequest request;
  request.set_job_id(waits);
  for (auto mark : {told.mark(), ask<v1::JobExplanation>("Explain.ExplainJob", request).mark()}) {
    auto past = request;
    past.set_round(told.last_round());
    past.set_mark(mark);
    EXPECT_EQ(ask<v1::JobExplanation>("Explain.ExplainJob", past).mark().size(), mark.size());
    ASSERT_FALSE(mark.empty());
    mark.back() = mark.back() == '0' ? '1' : '0';
    past.set_mark(mark);
    const auto refused = call("Explain.ExplainJob", past);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ec::conflict);
    EXPECT_THAT(refused.error().detail, HasSubstr("read again from the beginning"));
  }
}

TEST_F(histories, count_the_rounds_of_each_cause_and_tell_them_one_after_the_other) {
  begin_with_a_full_node();
  const auto before = history(waits);
  EXPECT_EQ(before.state(), "QUEUED");
  ASSERT_EQ(before.causes_size(), 1) << before.ShortDebugString();
  EXPECT_EQ(before.causes(0).code(), "JOB_DOES_NOT_FIT");
  EXPECT_GE(before.causes(0).rounds(), 4U);
  EXPECT_EQ(before.rounds_decided(), before.rounds_since());
  EXPECT_EQ(before.rounds_differing(), 0U);
  EXPECT_EQ(before.stopped(), "");
  EXPECT_THAT(before.verdict(), HasSubstr(" rounds: the job fits on no node"));

  agents[0].end(runs, run_phase::succeeded);
  pass(2s);
  ASSERT_EQ(job(waits).state(), api::RUNNING);
  stir(2);
  const auto after = history(waits);
  EXPECT_THAT(codes(after), ::testing::ElementsAre("JOB_DOES_NOT_FIT", "PLACED", "RUNNING"));
  EXPECT_EQ(after.spans(1).rounds(), 1U);
  EXPECT_EQ(after.spans(0).first_round(), before.spans(0).first_round());
  agents[0].end(waits, run_phase::succeeded);
  pass(3s);
  const auto ended = history(waits);
  EXPECT_EQ(ended.state(), "SUCCEEDED");
  stir(3);
  EXPECT_EQ(history(waits).rounds_since(), ended.rounds_since()) << "later rounds are not its own";
}

TEST_F(histories, tell_a_limit_of_the_queue_from_a_lack_of_room) {
  file = "scheduling: {maximumPerQueueSchedulingBurst: 1, maximumPerQueueSchedulingRate: 0.2}\n";
  begin();
  create_queue("a");
  add_agent("near", {node_of("n1", 1), node_of("n2", 1)});
  const auto ids = submit("a", {.count = 3});
  pass(12s);
  stir(3);
  std::map<std::string, std::uint64_t> rounds;
  const auto got = history(ids.back());
  for (const auto& cause : got.causes()) rounds[cause.code()] = cause.rounds();
  EXPECT_GE(rounds["QUEUE_RATE_LIMIT"], 3U) << got.ShortDebugString();
  EXPECT_GE(rounds["JOB_DOES_NOT_FIT"], 3U) << got.ShortDebugString();
  EXPECT_EQ(got.rounds_differing(), 0U);
}

TEST_F(histories, say_when_the_job_was_held_or_lacked_its_gang) {
  begin_with_a_full_node();
  hold(waits, true);
  stir(2);
  hold(waits, false);
  stir(2);
  const auto got = history(waits);
  EXPECT_THAT(codes(got), ::testing::ElementsAre("JOB_DOES_NOT_FIT", "HELD", "JOB_DOES_NOT_FIT"))
      << got.ShortDebugString();
  const auto member = submit("a", {.gang = "g", .cardinality = 2}).at(0);
  stir(2);
  const auto of_member = history(member);
  ASSERT_EQ(of_member.causes_size(), 1);
  EXPECT_THAT(of_member.causes(0).why(), HasSubstr("its gang lacked members"));
}

TEST_F(histories, stop_where_they_are_told_to_and_say_so) {
  begin_with_a_full_node();
  const auto all = history(waits);
  ASSERT_GT(all.rounds_since(), 3U);
  const auto last = history(waits, 2);
  EXPECT_EQ(last.rounds_since(), all.rounds_since());
  EXPECT_EQ(last.rounds_decided(), 2U);
  EXPECT_EQ(last.last_round(), all.last_round());
  EXPECT_THAT(last.stopped(), HasSubstr("were left out"));

  int looks = 0;
  int looks_max = 1'000'000;
  past::history_bounds bounds;
  bounds.until_ns = to_nanos(clock.wall());
  bounds.out_of_time = [&] { return ++looks > looks_max; };
  const auto id = parse_ulid(waits).value();
  ASSERT_TRUE(make_archive()->history(id, bounds));
  looks_max = std::exchange(looks, 0) / 2;
  const auto cut = make_archive()->history(id, bounds);
  ASSERT_TRUE(cut) << cut.error().detail;
  EXPECT_LT(cut->rounds_decided(), cut->rounds_since());
  EXPECT_THAT(cut->stopped(), HasSubstr("The time for it was over"));
}

TEST_F(histories, leave_out_what_the_log_does_not_reach_back_to) {
  begin_with_a_full_node();
  roll_over();
  pass(3s);
  copy_store();
  stir(2);
  EXPECT_EQ(history(waits).stopped(), "");
  roll_over();
  stir(2);
  ASSERT_TRUE(log->empty({1}));
  const auto got = history(waits);
  EXPECT_GT(got.rounds_decided(), 0U);
  EXPECT_LT(got.rounds_decided(), got.rounds_since());
  EXPECT_THAT(got.stopped(), HasSubstr("cannot be decided again any more"));
}

TEST_F(histories, without_any_round_say_that_there_was_none) {
  begin();
  create_queue("a");
  const auto id = submit("a").at(0);
  pass(3s);
  const auto got = history(id);
  EXPECT_EQ(got.rounds_since(), 0U);
  EXPECT_EQ(got.verdict(), "");
  EXPECT_EQ(got.job_id(), id);
}

TEST_F(histories, are_decided_for_few_of_one_caller_at_a_time_and_for_others_meanwhile) {
  begin_with_a_full_node();
  v1::ExplainJobHistoryRequest request;
  request.set_job_id(waits);
  const auto another = broker.connect("_INBOX.another");
  std::vector<ec> greedy;
  std::vector<ec> modest;
  const auto ask_as = [&](bus::connection& who, std::vector<ec>& answers) {
    who.request("argosy.api.Explain.ExplainJobHistory", request.SerializeAsString(), {}, 60s,
                [&answers](result<bus::frame> got) {
                  answers.push_back(got ? ec::none : got.error().code);
                });
  };
  for (int i = 0; i < 100; ++i) ask_as(*client, greedy);
  ask_as(*another, modest);
  pass();
  EXPECT_EQ(std::ranges::count(greedy, ec::none), 2);
  EXPECT_EQ(std::ranges::count(greedy, ec::overloaded), 98);
  EXPECT_EQ(modest, std::vector<ec>{ec::none});
  greedy.clear();
  ask_as(*client, greedy);
  pass();
  EXPECT_EQ(greedy, std::vector<ec>{ec::none}) << "the places were given back";
  another->close();
}

TEST_F(histories, are_not_decided_for_whoever_has_given_up) {
  begin_with_a_full_node();
  v1::ExplainJobHistoryRequest request;
  request.set_job_id(waits);
  std::vector<ec> answers;
  const auto before = logs_opened;
  const auto number = client->request(
      "argosy.api.Explain.ExplainJobHistory", request.SerializeAsString(), {}, 60s,
      [&](result<bus::frame> got) { answers.push_back(got ? ec::none : got.error().code); });
  client->give_up(number);
  pass();
  EXPECT_EQ(answers, std::vector<ec>{ec::cancelled});
  EXPECT_EQ(logs_opened, before) << "nothing was read for him";
}

TEST_F(histories, end_at_once_when_the_process_ends) {
  begin_with_a_full_node();
  const auto archive = make_archive();
  archive->stop();
  past::history_bounds bounds;
  bounds.until_ns = to_nanos(clock.wall());
  EXPECT_EQ(archive->history(parse_ulid(waits).value(), bounds).error().code, ec::cancelled);
  EXPECT_EQ(archive->explain(parse_ulid(waits).value(), 1, 0).error().code, ec::cancelled);
}

TEST_F(histories, of_what_is_not_there_are_refused) {
  begin();
  v1::ExplainJobHistoryRequest request;
  request.set_job_id("01arz3ndektsv4rrffq69g5fav");
  EXPECT_EQ(call("Explain.ExplainJobHistory", request).error().code, ec::not_found);
  request.set_job_id("x");
  EXPECT_EQ(call("Explain.ExplainJobHistory", request).error().code, ec::invalid_argument);
}

}  // namespace argosy::tests
