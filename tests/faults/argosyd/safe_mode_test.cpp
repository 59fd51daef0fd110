// SPDX-License-Identifier: Apache-2.0
// Goal: a job that crashes argosyd each time it is placed is set aside; a server that crashes again
// and again otherwise starts in safe mode, in which it answers and cancels, but accepts and starts
// nothing until it is told to leave it; kills never lead there. Method: a real argosyd, and one
// whose rounds crash at jobs of some queues.
#include <signal.h>

#include <algorithm>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class safe_mode : public deployment_fixture {
 protected:
  /// The words of the file: its format, the number, the crashes, and open or settled.
  std::string starts() const { return content_of(world.data_dir() / "starts"); }

  std::size_t lines_with(const std::string& text) const {
    const auto lines = lines_of(world.log());
    return static_cast<std::size_t>(std::ranges::count_if(
        lines, [&](const auto& line) { return line.find(text) != std::string::npos; }));
  }
  std::size_t loud_lines() const { return lines_with("SAFE MODE"); }

  /// Starts the server anew, and waits until it has crashed.
  void start_and_crash() {
    // It may be over before it is ready.
    (void)world.start();
    EXPECT_TRUE(eventually([&] { return !world.server.running(); }, 20s)) << starts();
  }
  /// Submits a job to another queue. The server may crash before it has answered.
  void submit_to(const std::string& queue) const {
    auto text = deployment::jobs({{"true"}});
    text.replace(text.find("queue: q"), 8, "queue: " + queue);
    (void)world.ctl({"submit", world.write(queue + ".yaml", text), "--timeout", "5s"});
  }
};

TEST_F(safe_mode, is_not_entered_after_kills_of_an_idle_server) {
  start_with_queue();
  for (int kills = 0; kills < 5; ++kills) {
    if (kills == 3)
      world.server.signal(SIGSEGV);
    else
      world.server.signal(SIGKILL);
    ASSERT_TRUE(eventually([&] { return !world.server.running(); }));
    start();
    EXPECT_EQ(loud_lines(), 0u) << starts();
  }
  EXPECT_EQ(page("/readyz").first, "200");
}

TEST_F(safe_mode, is_not_entered_after_kills_of_a_server_at_work) {
  start_with_queue();
  ASSERT_EQ(world.submit({{"true", "", "", "100000"}}).size(), 1u) << "so that there are rounds";
  for (int kills = 0; kills < 4; ++kills) {
    world.server.kill();
    start();
    EXPECT_EQ(loud_lines(), 0u) << starts();
  }
  EXPECT_EQ(page("/readyz").first, "200");
}

TEST_F(safe_mode, is_not_needed_when_one_job_crashes_the_rounds) {
  start_with_queue();
  ASSERT_EQ(world.ctl({"queue", "create", "poison"}).code, 0);
  ASSERT_EQ(world.stop(), 0);
  world.server_program = "argosyd_poisoned";
  start();
  submit_to("poison");
  ASSERT_TRUE(eventually([&] { return !world.server.running(); }, 20s)) << world.log();
  start_and_crash();
  start();
  EXPECT_EQ(lines_with("a job is set aside"), 1u) << world.log();
  EXPECT_EQ(loud_lines(), 0u) << world.log();
  const auto jobs = world.ctl({"get", "jobs", "--queue", "poison"});
  EXPECT_NE(jobs.out.find("set aside, since argosyd crashed 2 times"), std::string::npos)
      << jobs.out << jobs.err;
  const auto more = world.submit({{"true"}});
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(wait_for(more[0]), 0) << "rounds go on without it";
}

TEST_F(safe_mode, follows_three_crashes_though_requests_and_rounds_come_between) {
  world.server_program = "argosyd_poisoned";
  start_with_queue();
  ASSERT_EQ(world.ctl({"queue", "create", "late"}).code, 0);
  const auto waiting = world.submit({{"true", "", "", "100000"}});
  ASSERT_EQ(waiting.size(), 1u);
  for (int crashes = 1; crashes <= 3; ++crashes) {
    submit_to("late");
    const auto between = world.submit({{"true"}});
    ASSERT_EQ(between.size(), 1u);
    EXPECT_EQ(wait_for(between[0]), 0) << "what is accepted and done settles nothing";
    ASSERT_TRUE(eventually([&] { return !world.server.running(); }, 20s)) << world.log();
    ASSERT_EQ(loud_lines(), 0u) << starts();
    start();
  }
  EXPECT_EQ(loud_lines(), 1u) << starts();

  const auto [code, said] = page("/readyz");
  EXPECT_EQ(code, "503");
  EXPECT_NE(said.find("--leave-safe-mode"), std::string::npos) << said;
  const auto queues = world.ctl({"get", "queues", "-o", "name"});
  EXPECT_NE(queues.out.find("queue/q"), std::string::npos) << queues.err;
  const auto refused = world.ctl(
      {"submit", world.write("job.yaml", deployment::jobs({{"true"}})), "--timeout", "20s"});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_NE(refused.err.find("--leave-safe-mode"), std::string::npos) << refused.err;
  EXPECT_LT(refused.took, 5s) << "argosyctl must not repeat it";
  EXPECT_EQ(world.ctl({"cancel", waiting[0], "--wait"}).code, 0);
  EXPECT_TRUE(has_state(waiting[0], "CANCELLED")) << world.job(waiting[0]);
  ASSERT_EQ(world.stop(), 0);

  world.server_program = "argosyd";
  start();
  EXPECT_EQ(page("/readyz").first, "503") << "it stays there over restarts";
  ASSERT_EQ(world.stop(), 0);
  start({"--leave-safe-mode"});
  EXPECT_EQ(page("/readyz").first, "200");
  const auto more = world.submit({{"true"}});
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(wait_for(more[0]), 0);
}

}  // namespace

}  // namespace argosy::testing
