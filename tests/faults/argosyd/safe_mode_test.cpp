// SPDX-License-Identifier: Apache-2.0
// Goal: after three crashes at one place argosyd answers and cancels, but accepts and starts
// nothing until it is told to leave safe mode; kills of a server at work do not lead there. Method:
// a real argosyd; the file `starts` is written as three starts leave it that crash before they
// serve.
#include <sstream>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class safe_mode : public deployment_fixture {
 protected:
  /// The words of the file: its format, the crashes, the position, and open or settled.
  std::string starts() const { return content_of(world.data_dir() / "starts"); }
  bool is_settled() const { return starts().find("settled") != std::string::npos; }

  /// Leaves the file as if the last three starts had crashed where the last one began.
  void pretend_three_crashes() const {
    std::istringstream now{starts()};
    std::string format, crashes, position;
    ASSERT_TRUE(now >> format >> crashes >> position) << starts();
    world.write("data/starts", format + " 2 " + position + " open\n");
  }

  std::size_t loud_lines() const {
    std::size_t count = 0;
    for (const auto& line : lines_of(world.log()))
      count += line.find("SAFE MODE") == std::string::npos ? 0 : 1;
    return count;
  }
};

TEST_F(safe_mode, answers_and_cancels_but_accepts_and_starts_nothing) {
  start_with_queue();
  const auto ids = world.submit({{"true", "", "", "100000"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(world.stop(), 0);
  start();
  world.server.kill();
  pretend_three_crashes();

  start();
  const auto [code, said] = page("/readyz");
  EXPECT_EQ(code, "503");
  EXPECT_NE(said.find("--leave-safe-mode"), std::string::npos) << said;
  EXPECT_EQ(loud_lines(), 1u);
  const auto queues = world.ctl({"get", "queues", "-o", "name"});
  EXPECT_EQ(queues.out, "queue/q\n") << queues.err;
  EXPECT_EQ(world.ctl({"cancel", ids[0], "--wait"}).code, 0);
  EXPECT_TRUE(has_state(ids[0], "CANCELLED")) << world.job(ids[0]);
  const auto refused = world.ctl(
      {"submit", world.write("job.yaml", deployment::jobs({{"true"}})), "--timeout", "20s"});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_NE(refused.err.find("--leave-safe-mode"), std::string::npos) << refused.err;
  EXPECT_LT(refused.took, 5s) << "argosyctl must not repeat it";
  ASSERT_EQ(world.stop(), 0);

  start({"--leave-safe-mode"});
  EXPECT_EQ(page("/readyz").first, "200");
  EXPECT_EQ(loud_lines(), 1u) << "the one of the start before";
  const auto more = world.submit({{"true"}});
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(wait_for(more[0]), 0);
}

TEST_F(safe_mode, is_not_entered_after_kills_of_a_server_at_work) {
  start_with_queue();
  ASSERT_EQ(world.submit({{"true", "", "", "100000"}}).size(), 1u) << "so that there are rounds";
  for (int kills = 0; kills < 4; ++kills) {
    EXPECT_TRUE(eventually([&] { return is_settled(); })) << starts();
    world.server.kill();
    start();
    EXPECT_EQ(loud_lines(), 0u) << starts();
  }
  EXPECT_EQ(page("/readyz").first, "200");
}

}  // namespace

}  // namespace argosy::testing
