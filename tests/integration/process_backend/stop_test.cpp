// SPDX-License-Identifier: Apache-2.0
// Goal: a run ends when it is told to, when its time is over and when its lease lapses, also if the
// agent is gone or stopped and if the command resists.
// Method: real shims with short graces, deadlines and leases; commands that trap SIGTERM.
#include <sys/wait.h>

#include <regex>

#include "tests/integration/process_backend/process_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

const char* const stubborn = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
const char* const polite = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done";

run_launch with_deadline(run_launch run, std::int64_t seconds) {
  auto order = std::make_shared<model::start_run>(*run.order);
  order->deadline_seconds = seconds;
  run.order = order;
  return run;
}

run_launch with_grace(run_launch run, std::int64_t seconds) {
  auto order = std::make_shared<model::start_run>(*run.order);
  order->grace_seconds = seconds;
  run.order = order;
  return run;
}

}  // namespace

class process_stop : public process_fixture {};

TEST_F(process_stop, lets_a_command_end_by_itself_on_sigterm) {
  open();
  const auto run = start(shell(polite));
  wait_for_output(run, "ready");
  stop(run, 10s);
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_EQ(end.outcome, (model::run_outcome{7, 0, "Stopped", "cancelled by a test"}));
  EXPECT_TRUE(std::regex_match(
      end.note, std::regex{R"(SIGTERM was sent at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"}))
      << end.note;
  EXPECT_NE(output(run).find("bye\n"), std::string::npos);
}

TEST_F(process_stop, kills_what_resists_after_the_grace_period) {
  open();
  const auto run = start(shell(stubborn));
  wait_for_output(run, "ready");
  const auto before = boot_now();
  stop(run, 300ms);
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_EQ(end.outcome.signal, SIGKILL);
  EXPECT_EQ(end.outcome.exit_code, 137);
  EXPECT_GE(boot_now() - before, boot_time{300ms});
}

TEST_F(process_stop, stops_a_run_that_is_just_starting) {
  open();
  for (int i = 0; i < 20; ++i) {
    const auto run = start(command({"sleep", "1000"}));
    stop(run, 10s);
    EXPECT_EQ(end_of(run).phase, run_phase::stopped);
  }
}

TEST_F(process_stop, stops_a_stopped_command) {
  open();
  const auto run = start(shell("echo ready; kill -STOP $$; sleep 1000"));
  wait_for_output(run, "ready");
  stop(run, 10s);
  EXPECT_EQ(end_of(run).outcome.signal, SIGTERM);
}

TEST_F(process_stop, stops_all_at_once) {
  open();
  const auto one = start(command({"sleep", "1000"}));
  const auto two = start(shell(stubborn));
  wait_for_output(two, "ready");
  running(one);
  backend_->stop_all("shutdown");
  EXPECT_EQ(end_of(one).outcome.message, "shutdown");
  EXPECT_EQ(end_of(two).outcome.signal, SIGKILL);
}

TEST_F(process_stop, ends_a_run_at_its_deadline) {
  open();
  const auto run = start(with_deadline(command({"sleep", "1000"}), 1));
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.reason, "DeadlineExceeded");
  EXPECT_EQ(end.outcome.message, "ran longer than its deadline of 1 s");
  EXPECT_GE(end.time_ns - running(run).time_ns, 1'000'000'000);
}

TEST_F(process_stop, starts_nothing_without_a_lease) {
  open({}, 0s);
  const auto run = start(command({"touch", (dir_ / "ran").string()}));
  EXPECT_EQ(end_of(run).outcome.reason, "LeaseExpired");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "ran"));
}

TEST_F(process_stop, ends_runs_when_the_lease_lapses) {
  open({}, 500ms);
  const auto run = start(command({"sleep", "1000"}));
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_EQ(end.outcome.reason, "LeaseExpired");
}

TEST_F(process_stop, cuts_a_long_grace_when_the_lease_lapses) {
  open({}, 0s);
  const model::run_lease lease{boot_now() + 1s, 300ms};
  backend_->renew(lease);
  const auto run = start(with_grace(shell(stubborn), 60));
  wait_for_output(run, "ready");
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_EQ(end.outcome.reason, "LeaseExpired");
  EXPECT_EQ(end.outcome.signal, SIGKILL);
  EXPECT_GE(boot_now(), lease.dead_by());
  EXPECT_LT(boot_now(), lease.dead_by() + 5s);
}

TEST_F(process_stop, cuts_a_grace_that_began_before_the_lapse) {
  open({}, 0s);
  const model::run_lease lease{boot_now() + 1500ms, 200ms};
  backend_->renew(lease);
  const auto stopped = start(shell(stubborn));
  const auto overdue = start(with_grace(with_deadline(shell(stubborn), 1), 60));
  wait_for_output(stopped, "ready");
  stop(stopped, 60s);
  EXPECT_EQ(end_of(stopped).outcome.reason, "Stopped");
  EXPECT_EQ(end_of(overdue).outcome.reason, "DeadlineExceeded");
  EXPECT_LT(boot_now(), lease.dead_by() + 5s);
}

TEST_F(process_stop, runs_on_while_the_lease_is_renewed) {
  open({}, 1s);
  const auto run = start(with_grace(command({"sleep", "1.5"}), 0));
  wait_until(
      [&] {
        backend_->renew({boot_now() + 1s});
        const auto phases = phases_of(run);
        return !phases.empty() && is_final(phases.back());
      },
      "the end of the run");
  EXPECT_EQ(end_of(run).phase, run_phase::succeeded);
}

TEST_F(process_stop, ends_runs_of_an_agent_that_is_gone_when_the_lease_lapses) {
  open({}, 500ms);
  const auto run = start(shell("echo $$; exec sleep 1000"));
  const auto pid = told_process(run);
  close();
  EXPECT_TRUE(process_exists(pid));
  wait_until([&] { return !process_exists(pid); }, "the end of the command");
  wait_until([&] { return !lives(folder(run)); }, "the end of the shim");
  const auto found = open({run});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].phase, run_phase::stopped);
  EXPECT_EQ(found[0].outcome.reason, "LeaseExpired");
}

TEST_F(process_stop, ends_runs_of_a_stopped_agent_when_the_lease_lapses) {
  const auto pid_file = dir_ / "pid";
  const auto run = shell("echo $$ > " + pid_file.string() + "; exec sleep 1000");
  const pid_t agent = ::fork();
  if (agent == 0) {
    auto made = make_process_backend(config_, [](auto) {});
    static_cast<void>((*made)->adopt({}));
    (*made)->renew({boot_now() + 500ms});
    (*made)->start(run);
    for (;;) ::pause();
  }
  pid_t pid = 0;
  wait_until([&] { return static_cast<bool>(std::ifstream{pid_file} >> pid); }, "the command");
  pid = process_of(run.order->run, pid);
  testing::send_signal(agent, SIGSTOP);
  EXPECT_TRUE(process_exists(pid));
  wait_until([&] { return !process_exists(pid); }, "the end of the command");
  testing::send_signal(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
}

TEST_F(process_stop, kills_what_resists_without_a_cgroup) {
  config_.use_cgroups = false;
  open();
  const auto run = start(shell("setsid sh -c \"trap '' TERM; echo $$; sleep 1000\" & wait"));
  const auto left = told_process(run);
  stop(run, 100ms);
  EXPECT_EQ(end_of(run).phase, run_phase::stopped);
  EXPECT_FALSE(process_exists(left));
}

TEST_F(process_stop, kills_a_run_with_its_hanging_shim) {
  config_.shim_patience = 100ms;
  open();
  const auto run = start(shell("echo $$; exec sleep 1000"));
  const auto pid = told_process(run);
  const auto shim = shim_of(run);
  testing::send_signal(shim, SIGSTOP);
  stop(run, 0s);
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_FALSE(process_exists(pid));
}

TEST_F(process_stop, ends_a_run_whose_lease_lapsed_by_the_wall_clock) {
  open();
  const auto now = boot_now();
  const auto ahead = boot_time{wall_now_ns()} - now;
  backend_->renew({now + 61s, 1s, ahead - boot_time{1h}, 0s});
  const auto end = run_to_end(command({"sleep", "1000"}));
  EXPECT_EQ(end.outcome.reason, shim_status::lease_expired);
  EXPECT_NE(end.outcome.message.find("wall clock"), std::string::npos) << end.outcome.message;
}

}  // namespace argosy::backends
