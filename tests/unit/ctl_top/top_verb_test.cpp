// SPDX-License-Identifier: Apache-2.0
// Goal: `top` without a terminal is a list, wrong words are refused before it begins, and `get
// rounds` shows what rounds did. Method: the whole command line against a scripted server.
#include <gmock/gmock.h>

#include "bins/argosyctl/verbs/top/source_reader.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

constexpr std::int64_t a_second = 1'000'000'000;

class top_verb : public cli_fixture {
 protected:
  void SetUp() override {
    argosy::v1::ListQueuesResponse queues;
    for (const auto* name : {"few", "many", "-v"}) {
      auto& queue = *queues.add_queues();
      queue.mutable_queue()->set_name(name);
      queue.set_queued(name == std::string{"many"} ? 20 : name == std::string{"few"} ? 3 : 0);
    }
    server->always("Query.ListQueues", queues);
    argosy::v1::ListRoundsResponse rounds;
    auto& pool = *rounds.add_pools();
    pool.set_pool("gpu");
    pool.add_queues("many");
    add_span(pool, 120, 10, 40'000'000);
    auto& last = add_span(pool, 60, 4, 2'000'000'000);
    keep(last, "JOB_DOES_NOT_FIT", 12);
    auto& share = *last.add_shares();
    share.set_actual_share(0.25);
    share.set_fair_share(0.5);
    share.set_demand_share(0.75);
    server->always("Explain.ListRounds", rounds);
  }

  static argosy::v1::KeptBack& keep(argosy::v1::RoundSpan& in, const char* code,
                                    std::uint64_t jobs) {
    auto& kept = *in.add_kept();
    kept.set_code(code);
    kept.set_jobs(jobs);
    return kept;
  }

  argosy::v1::RoundSpan& add_span(argosy::v1::PoolRounds& to, std::int64_t age_s,
                                  std::uint64_t rounds, std::int64_t took_ns) const {
    auto& span = *to.add_spans();
    span.set_from_ns(now_ns - age_s * a_second);
    span.set_to_ns(span.from_ns() + 10 * a_second);
    span.set_rounds(rounds);
    span.set_duration_ns(took_ns);
    span.set_longest_ns(took_ns / 2);
    span.set_tried(30);
    span.set_started(18);
    return span;
  }
};

TEST_F(top_verb, has_rounds_that_describe_tells_in_words) {
  argosy::v1::ListRoundsResponse rounds;
  for (const auto* name : {"cpu", "gpu"}) {
    auto& pool = *rounds.add_pools();
    pool.set_pool(name);
    keep(add_span(pool, 120, 10, 40'000'000), "QUEUE_CORDONED", 7);
    auto& newest = add_span(pool, 60, 4, 2'000'000'000);
    keep(newest, "JOB_DOES_NOT_FIT", 7);
    keep(newest, "NEWER_THAN_THIS", 1);
  }
  server->always("Explain.ListRounds", rounds);
  const auto all = run({"describe", "round"}).out;
  EXPECT_EQ(all.find("cordoned"), std::string::npos) << "the newest of each pool is shown\n" << all;
  EXPECT_NE(all.find("cpu"), std::string::npos);
  const auto one = run({"describe", "round", "gpu"}).out;
  EXPECT_EQ(one.find("cpu"), std::string::npos) << one;
  EXPECT_NE(one.find("7 jobs: the job fits on no node"), std::string::npos) << one;
  EXPECT_NE(one.find("1 job: NEWER_THAN_THIS"), std::string::npos) << one;
  EXPECT_EQ(one.find("JOB_DOES_NOT_FIT"), std::string::npos) << one;
  EXPECT_NE(run({"get", "rounds"}).out.find("7 JOB_DOES_NOT_FIT"), std::string::npos);
}

TEST_F(top_verb, is_a_list_where_there_is_no_terminal) {
  const auto done = run({"top"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, AllOf(StartsWith("QUEUE"), HasSubstr("many")));
  EXPECT_LT(done.out.find("many"), done.out.find("few")) << "most waits there";
  const auto sorted = run({"top", "queues", "--once", "--sort-by", "queue", "--no-headers"});
  EXPECT_THAT(sorted.out, StartsWith("-v"));
}

TEST_F(top_verb, refuses_what_it_does_not_know) {
  const auto view = run({"top", "jobs"});
  EXPECT_EQ(view.code, exit_code::usage);
  EXPECT_THAT(view.err, HasSubstr("queues"));
  const auto column = run({"top", "--sort-by", "size"});
  EXPECT_EQ(column.code, exit_code::usage);
  EXPECT_THAT(column.err, HasSubstr("there is no column 'size'"));
  where.out_is_terminal = where.in_is_terminal = true;
  variables["TERM"] = "no-such-terminal";
  const auto column_there = run({"top", "--sort-by", "size"});
  EXPECT_EQ(column_there.code, exit_code::usage);
  EXPECT_THAT(column_there.err, HasSubstr("there is no column 'size'"));
  const auto terminal = run({"top"});
  EXPECT_EQ(terminal.code, exit_code::unreachable);
  EXPECT_THAT(terminal.err, AllOf(HasSubstr("no-such-terminal"), HasSubstr("--once")));
}

TEST_F(top_verb, ends_with_the_code_of_what_is_wrong) {
  server->refuse("Query.ListQueues", {ec::denied, "you may not see queues"});
  for (const bool terminal : {false, true}) {
    where.out_is_terminal = where.in_is_terminal = terminal;
    const auto done = run({"top"});
    EXPECT_EQ(done.code, exit_code::denied);
    EXPECT_THAT(done.err, HasSubstr("you may not see queues"));
  }
}

TEST_F(top_verb, reads_lists_and_texts_by_the_verbs_that_give_them) {
  std::ostringstream out;
  std::istringstream in;
  console to{out, out, {}};
  const environment env{[this](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }};
  session s{to, env, in, {}, [this] { return now_ns; }, &interrupted};
  s.connected = server;
  serve_jobs();
  source_reader reader{s, interrupted};
  const auto queues = reader.read(source_of(top_views[0]));
  ASSERT_TRUE(queues.list) << queues.trouble->detail;
  EXPECT_THAT(queues.list->names, ElementsAre("queue/few", "queue/many", "queue/-v"));
  EXPECT_EQ(queues.read_ns, now_ns);
  const auto text = reader.read(*source_about("queue/many"));
  ASSERT_FALSE(text.trouble) << text.trouble->detail;
  EXPECT_THAT(text.text, AllOf(HasSubstr("many"), Not(HasSubstr("few"))));
  EXPECT_THAT(reader.read(*source_about("queue/-v")).text, HasSubstr("-v"));
  const auto jobs = reader.read(*source_inside("queue/-v"));
  ASSERT_TRUE(jobs.list) << jobs.trouble->detail;
  EXPECT_THAT(jobs.list->notice, HasSubstr("no jobs of queue '-v'"));
  const auto none = reader.read(*source_about("queue/none"));
  ASSERT_TRUE(none.trouble);
  EXPECT_THAT(none.trouble->detail, StartsWith("there is no queue 'none'"));
  server->refuse("Query.ListQueues", {ec::timeout, "no answer"});
  EXPECT_EQ(reader.read(source_of(top_views[0])).trouble->detail, "no answer");
  EXPECT_EQ(out.str(), "") << "all of it stays on the screens";
}

TEST_F(top_verb, shows_the_newest_rounds_first) {
  const auto done = run({"get", "rounds", "--since", "1h", "--pool", "gpu"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, AllOf(StartsWith("POOL"), HasSubstr("500.0 ms"), HasSubstr("1.0 s"),
                              HasSubstr("4.0 ms"), HasSubstr("12 JOB_DOES_NOT_FIT")));
  EXPECT_LT(done.out.find("500.0 ms"), done.out.find("4.0 ms"));
  const auto asked = server->nth<argosy::v1::ListRoundsRequest>("Explain.ListRounds");
  EXPECT_EQ(asked.pool(), "gpu");
  EXPECT_EQ(asked.since_ns(), now_ns - 3'600 * a_second);
}

TEST_F(top_verb, describes_one_span_of_rounds) {
  const auto names = run({"get", "rounds", "-o", "name"});
  const auto first = names.out.substr(0, names.out.find('\n'));
  ASSERT_THAT(first, StartsWith("round/gpu/2023-"));
  const auto done = run({"describe", "round", first.substr(6)});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("12 jobs: the job fits on no node"),
                              HasSubstr("queue many has 25.0% of the pool and asks for 75.0%; its "
                                        "fair share is 50.0%")));
  const auto wrong = run({"describe", "round", "gpu/yesterday"});
  EXPECT_EQ(wrong.code, exit_code::not_found);
  EXPECT_THAT(wrong.err, HasSubstr("there is no round 'gpu/yesterday'"));
}

TEST_F(top_verb, says_that_no_rounds_are_remembered) {
  server->always("Explain.ListRounds", argosy::v1::ListRoundsResponse{});
  where.err_is_terminal = true;
  const auto done = run({"get", "rounds"});
  EXPECT_EQ(done.code, exit_code::success);
  EXPECT_THAT(done.err, HasSubstr("remembers no such round"));
  EXPECT_EQ(run({"get", "rounds", "--since", "soon"}).code, exit_code::usage);
}

}  // namespace

}  // namespace argosy::ctl
