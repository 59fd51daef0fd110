// SPDX-License-Identifier: Apache-2.0
// Goal: explain shows on one screen why a job waits and what a round of the past made of it, and
// asks for the round or time that its flags name. Method: the whole command line against a scripted
// server.
#include <gmock/gmock.h>

#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

class explain_verb : public cli_fixture {
 protected:
  argosy::v1::JobExplanation waiting() {
    add_job(job_id(1), api::JobState::QUEUED);
    serve_jobs();
    argosy::v1::JobExplanation out;
    out.set_job_id(job_id(1));
    out.set_queue("team-a");
    out.set_state("QUEUED");
    out.set_changed_ns(now_ns - 120'000'000'000);
    out.set_verdict("no node has room for it now; it starts when other jobs end");
    out.set_place_in_queue(3);
    auto& other = *out.add_ahead();
    other.set_job_id(job_id(2));
    other.set_why("its priority goes first");
    auto& pool = *out.add_pools();
    pool.set_pool("gpu");
    pool.set_code("JOB_DOES_NOT_FIT");
    pool.set_round(12);
    pool.set_round_ns(now_ns - 2'000'000'000);
    pool.set_text("pool gpu: 3 nodes have no cpu free");
    pool.add_nodes()->set_why("3 nodes have no cpu free\x1b[31m");
    pool.add_remedies("ask for 1 core at most (3 nodes)");
    auto& own = *pool.mutable_queue();
    own.set_queue("team-a");
    own.set_actual_share(0.3);
    own.set_fair_share(0.5);
    own.set_demand_share(1);
    auto& before = *pool.add_before();
    before.set_queue("team-b");
    before.set_actual_share(0.1);
    before.set_fair_share(0.5);
    auto& stop = *pool.add_stops();
    stop.set_jobs(7);
    stop.set_sentence("the job fits on no node");
    auto& kind = *stop.add_kinds();
    kind.set_jobs(4);
    kind.set_asks("2 cores");
    return out;
  }
  /// Runs the verb with these flags and returns what the server was asked for.
  argosy::v1::ExplainJobRequest asked(std::vector<std::string> flags) {
    argosy::v1::ExplainJobRequest got;
    const auto answer = waiting();
    server->on<argosy::v1::ExplainJobRequest, argosy::v1::JobExplanation>(
        "Explain.ExplainJob", [&](const auto& request) -> result<argosy::v1::JobExplanation> {
          got = request;
          return answer;
        });
    flags.insert(flags.begin(), {"explain", job_id(1)});
    const auto done = run(flags);
    EXPECT_EQ(done.code, exit_code::success) << done.err;
    return got;
  }
};

TEST_F(explain_verb, shows_verdict_causes_shares_place_and_what_helps) {
  server->always("Explain.ExplainJob", waiting());
  const auto got = run({"explain", job_id(1)});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "Job " + job_id(1) +
                         " of queue team-a is QUEUED for 2m\n"
                         "  no node has room for it now; it starts when other jobs end\n"
                         "Pool gpu, round 12, 2s ago (JOB_DOES_NOT_FIT)\n"
                         "  3 nodes have no cpu free\\u{1b}[31m\n"
                         "  queue team-a uses 30.0% of the pool, of a fair share of 50.0%, and "
                         "asks for 100.0%\n"
                         "  this queue goes first, with less of its fair share: team-b (10.0% of "
                         "50.0%)\n"
                         "  of its queue, 7 jobs were not started: the job fits on no node\n"
                         "    4 of them ask for 2 cores\n"
                         "    and 3 more\n"
                         "  it could help to ask for 1 core at most (3 nodes)\n"
                         "It has place 3 in its queue. Before it:\n"
                         "  " +
                         job_id(2) +
                         "  its priority goes first\n"
                         "  and 1 more\n");
}

TEST_F(explain_verb, of_a_past_round_says_which_and_whether_it_was_decided_the_same) {
  auto answer = waiting();
  auto& past = *answer.mutable_past();
  past.set_number(12);
  past.set_pool("gpu");
  past.set_time_ns(now_ns - 60'000'000'000);
  server->always("Explain.ExplainJob", answer);
  const auto got = run({"explain", job_id(1), "--round", "12"});
  EXPECT_THAT(got.out, ::testing::StartsWith("In round 12 of pool gpu, at "));
  EXPECT_THAT(got.out, ::testing::HasSubstr("could not be decided again just as it was"));
  EXPECT_THAT(got.out, ::testing::HasSubstr("was QUEUED for 60s")) << "as of then";
  past.set_same_decisions(true);
  server->always("Explain.ExplainJob", answer);
  EXPECT_THAT(run({"explain", job_id(1), "--round", "12"}).out,
              ::testing::Not(::testing::HasSubstr("could not be decided")));
}

TEST_F(explain_verb, asks_for_the_round_or_the_time_that_is_named) {
  EXPECT_EQ(asked({"--round", "12"}).round(), 12U);
  EXPECT_EQ(asked({"--at", "60s"}).at_ns(), now_ns - 60'000'000'000);
  EXPECT_EQ(asked({"--at", "2026-11-20"}).round(), 0U);
  const auto now = asked({});
  EXPECT_EQ(now.round(), 0U);
  EXPECT_EQ(now.at_ns(), 0);
}

TEST_F(explain_verb, refuses_what_names_no_round) {
  waiting();
  for (const auto& flags :
       std::vector<std::vector<std::string>>{{"--round", "0"},
                                             {"--round", "x"},
                                             {"--round", "99999999999999999999"},
                                             {"--at", "sometime"},
                                             {"--round", "1", "--at", "1h"}}) {
    auto words = flags;
    words.insert(words.begin(), {"explain", job_id(1)});
    EXPECT_EQ(run(words).code, exit_code::usage) << flags[1];
  }
}

}  // namespace argosy::ctl
