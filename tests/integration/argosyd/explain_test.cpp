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

}  // namespace

}  // namespace argosy::testing
