// SPDX-License-Identifier: Apache-2.0
// Goal: argosyctl explain says why a job waits, and of a round of the past what it made of a job,
// also after a restart and with the log of a real nats-server. Method: the programs.
#include <gmock/gmock.h>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class explain : public deployment_fixture {
 protected:
  outcome explained(const std::string& id, std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"explain", id});
    return world.ctl(std::move(flags));
  }
  /// The number behind the word in the text; 0 if it is not there.
  static std::uint64_t number_behind(const std::string& text, const std::string& word) {
    const auto at = text.find(word);
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + word.size()));
  }
};

TEST_F(explain, tells_of_now_and_of_the_past_over_a_restart) {
  start_with_queue();
  const auto ids = world.submit({{"sleep 600"}});
  ASSERT_EQ(ids.size(), 1U);
  ASSERT_EQ(wait_for(ids[0], "running"), 0) << world.log();
  const auto runs = explained(ids[0]);
  EXPECT_EQ(runs.code, 0) << runs.err;
  EXPECT_THAT(runs.out, HasSubstr("is RUNNING"));
  const auto round = number_behind(runs.out, "round ");
  ASSERT_GT(round, 0U) << runs.out;

  for (int restarted = 0; restarted < 2; ++restarted) {
    const auto past = explained(ids[0], {"--round", std::to_string(round)});
    EXPECT_EQ(past.code, 0) << past.err << world.log();
    EXPECT_THAT(past.out, HasSubstr("In round " + std::to_string(round) + " of pool"));
    EXPECT_THAT(past.out, HasSubstr("was QUEUED"));
    EXPECT_THAT(past.out, HasSubstr("the round chose node"));
    EXPECT_THAT(past.out, Not(HasSubstr("could not be decided again")));
    if (restarted == 0) {
      EXPECT_EQ(world.stop(), 0);
      start();
    }
  }
  const auto never = explained(ids[0], {"--round", "999999"});
  EXPECT_EQ(never.code, 3) << never.err;
  EXPECT_THAT(never.err, HasSubstr("there was no round 999999"));
  const auto before = explained(ids[0], {"--at", "2000-01-01"});
  EXPECT_EQ(before.code, 3);
  EXPECT_THAT(before.err, HasSubstr("no round before that time"));
  EXPECT_EQ(world.ctl({"cancel", ids[0]}).code, 0);
  EXPECT_EQ(world.stop(), 0);
}

TEST_F(explain, tells_of_one_node_and_of_all_rounds_over_a_restart_and_over_rest) {
  start_with_queue();
  const auto ids = world.submit({{"sleep 600"}, {"true", "", "", "100000"}});
  ASSERT_EQ(ids.size(), 2U);
  ASSERT_EQ(wait_for(ids[0], "running"), 0) << world.log();
  const auto listed = world.ctl({"get", "nodes", "-o", "json"}).out;
  const auto at = listed.find("\"name\":\"");
  ASSERT_NE(at, std::string::npos) << listed;
  const auto node = listed.substr(at + 8, listed.find('"', at + 8) - at - 8);

  const auto large = explained(ids[1], {"--node", node});
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_THAT(large.out, HasSubstr("it needs 100000 cores, and the node has"));
  EXPECT_THAT(large.out, HasSubstr("(NODE_TOO_SMALL)"));
  EXPECT_THAT(explained(ids[0], {"--node", node}).out, HasSubstr("chose node " + node));
  const auto reverse = world.ctl({"explain", "--reverse", "--node", "local/" + node, "-q", "q"});
  EXPECT_EQ(reverse.code, 0) << reverse.err;
  EXPECT_THAT(reverse.out, HasSubstr("0 of 1 waiting job of queue q fits there"));
  EXPECT_THAT(reverse.out, HasSubstr("1 job needs more cpu than the node has"));
  const auto unknown = explained(ids[1], {"--node", node + "x"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr(node));
  EXPECT_EQ(world.ctl({"explain", "--reverse", "--node", node, "-q", "qq"}).code, 3);

  for (int restarted = 0; restarted < 2; ++restarted) {
    const auto history = explained(ids[1], {"--history"});
    EXPECT_EQ(history.code, 0) << history.err << world.log();
    EXPECT_THAT(history.out, HasSubstr("(JOB_DOES_NOT_FIT)"));
    EXPECT_THAT(history.out, Not(HasSubstr("could not be decided again")));
    if (restarted == 0) {
      EXPECT_EQ(world.stop(), 0);
      start();
    }
  }
  const auto job = "/v1/job/" + ids[1] + "/explain";
  EXPECT_THAT(page(job).second, HasSubstr("\"code\":\"JOB_DOES_NOT_FIT\""));
  EXPECT_THAT(page(job + "/node/local/" + node).second, HasSubstr("NODE_TOO_SMALL"));
  EXPECT_THAT(page(job + "/history").second, HasSubstr("\"causes\":[{"));
  EXPECT_THAT(page("/v1/node/local/" + node + "/explain?queue=q").second,
              HasSubstr("\"waiting\":1,"));
  EXPECT_EQ(page("/v1/node/local/absent/explain").first, "404");
  EXPECT_EQ(page("/v1/job/absent/explain").first, "400");
  EXPECT_THAT(page("/swagger.json").second, HasSubstr("/v1/job/{job_id}/explain/history"));
  EXPECT_EQ(world.ctl({"cancel", ids[0], ids[1]}).code, 0);
  EXPECT_EQ(world.stop(), 0);
}

}  // namespace

}  // namespace argosy::testing
