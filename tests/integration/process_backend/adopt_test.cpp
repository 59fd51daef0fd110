// SPDX-License-Identifier: Apache-2.0
// Goal: after an agent is gone, the next one finds every run as it is, reports each end once, and
// leaves nothing running that it does not know.
// Method: the backend is closed without stopping its runs and opened again on the same folder;
// shims are killed; an agent in a process of its own is killed with SIGKILL.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "runtime/backends/process/adoption.hpp"
#include "tests/integration/process_backend/process_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::backends {

using model::run_phase;

class process_adopt : public process_fixture {
 protected:
  /// Makes a command that runs until the file `go` appears, and then this.
  run_launch waiting(const std::string& then = {}) {
    const auto go = (dir_ / "go").string();
    return shell("echo $$; while [ ! -e " + go + " ]; do sleep 0.02; done" + then);
  }
  void let_go() { std::ofstream{dir_ / "go"} << "go"; }
  pid_t pid_of(const model::run_key& run) { return told_process(run); }
};

TEST_F(process_adopt, follows_a_run_that_lives) {
  open();
  const auto run = start(waiting());
  const auto pid = pid_of(run);
  running(run);
  close();
  const auto found = open({run});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].phase, run_phase::running);
  EXPECT_TRUE(process_exists(pid));
  let_go();
  EXPECT_EQ(end_of(run).phase, run_phase::succeeded);
}

TEST_F(process_adopt, goes_on_with_runs_whose_folders_were_renamed) {
  config_.limits.output_max = {1'000};
  open({}, 2s);
  const auto lapse = boot_now() + 2s;
  const auto one = start(waiting("; seq 500; exit 7"));
  const auto two = start(command({"sleep", "1000"}));
  running(one);
  running(two);
  close();
  std::filesystem::rename(config_.runs_dir, dir_ / "renamed");
  config_.runs_dir = dir_ / "renamed";
  open({one, two});
  wait_until([&] { return boot_now() > lapse; }, "the end of the first lease");
  stop(two);
  EXPECT_EQ(end_of(two).outcome.message, "cancelled by a test");
  let_go();
  EXPECT_EQ(end_of(one).outcome.exit_code, 7);
  EXPECT_TRUE(output(one).ends_with("499\n500\n")) << "parts of it begin after the renaming";
}

TEST_F(process_adopt, stops_a_run_of_its_predecessor) {
  open();
  const auto run = start(waiting());
  pid_of(run);
  close();
  open({run});
  stop(run, 10s);
  EXPECT_EQ(end_of(run).outcome, (model::run_outcome{143, 15, "Stopped", "cancelled by a test"}));
}

TEST_F(process_adopt, tells_of_an_end_that_nobody_saw) {
  open();
  const auto run = start(waiting("; exit 4"));
  running(run);
  close();
  let_go();
  wait_until([&] { return !lives(folder(run)); }, "the end of the shim");
  const auto found = open({run});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].phase, run_phase::failed);
  EXPECT_EQ(found[0].outcome.exit_code, 4);
}

TEST_F(process_adopt, tells_what_never_started_from_what_was_lost) {
  open();
  const auto lost = start(waiting());
  const auto pid = pid_of(lost);
  running(lost);
  close();
  testing::send_signal(shim_of(lost), SIGKILL);
  wait_until([&] { return !lives(folder(lost)); }, "the end of the shim");
  auto never = waiting().order->run;
  auto prepared = waiting().order->run;
  shim_plan plan;
  plan.argv = {"true"};
  plan.working_dir = "work";
  ASSERT_TRUE(
      make_run_folder(std::filesystem::canonical(config_.runs_dir) / to_string(prepared), plan));
  const auto found = open({never, lost, prepared});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].phase, run_phase::refused);
  EXPECT_EQ(found[0].outcome.reason, reason::not_started);
  EXPECT_EQ(found[1].phase, run_phase::failed);
  EXPECT_EQ(found[1].outcome.reason, reason::lost);
  EXPECT_FALSE(found[1].outcome.exit_code.has_value());
  EXPECT_FALSE(process_exists(pid));
  EXPECT_EQ(found[2].phase, run_phase::refused);
}

/// While it lives, the process may open two more descriptors.
class two_descriptors {
 public:
  two_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const unique_fd first{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    const unique_fd second{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    const rlimit few{static_cast<rlim_t>(second.get()) + 1, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~two_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  two_descriptors(const two_descriptors&) = delete;
  two_descriptors& operator=(const two_descriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(process_adopt, of_living_runs_fails_when_too_many_files_are_open) {
  open();
  const auto first = start(waiting());
  const auto second = start(waiting());
  running(first);
  running(second);
  close();
  const auto runs_dir = std::filesystem::canonical(config_.runs_dir);
  const auto cramped = [&] {
    const two_descriptors limit;
    return adopt_runs(runs_dir, "", true, {first, second});
  }();
  ASSERT_FALSE(cramped) << "the second one is neither lost nor known to be alive";
  EXPECT_NE(cramped.error().detail.find("Too many open files"), std::string::npos)
      << cramped.error().detail;
  const auto found = open({first, second});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].phase, run_phase::running);
  EXPECT_EQ(found[1].phase, run_phase::running);
}

TEST_F(process_adopt, calls_everything_lost_after_a_reboot) {
  open();
  close();
  const auto bytes = encode(lease_record{"another-boot", {boot_time{1}}});
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(write_file(config_.runs_dir / "lease", *bytes, sync_mode::no));
  const auto found = open({waiting().order->run});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].phase, run_phase::failed);
  EXPECT_EQ(found[0].outcome.reason, reason::lost);
}

TEST_F(process_adopt, reports_a_run_whose_shim_dies_as_lost_and_kills_its_processes) {
  open();
  const auto run = start(shell("setsid sleep 1000 & echo $!; wait"));
  const auto left = pid_of(run);
  running(run);
  testing::send_signal(shim_of(run), SIGKILL);
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.reason, reason::lost);
  wait_until([&] { return !process_exists(left); }, "the end of a process left behind");
}

TEST_F(process_adopt, leaves_no_cgroup_of_a_run_behind) {
  open();
  const auto cgroup_of = [&](const model::run_key& run) {
    return read_record<shim_plan>(folder(run) / run_file::plan).value().cgroup;
  };
  const auto lost = start(shell("setsid sleep 1000 & echo $!; wait"));
  const auto stray = start(shell("setsid sleep 1000 & echo $!; wait"));
  const auto orphan = start(shell("setsid sleep 1000 & echo $!; wait"));
  std::vector<std::string> cgroups;
  for (const auto& run : {lost, stray, orphan}) {
    pid_of(run);
    cgroups.push_back(cgroup_of(run));
  }
  if (cgroups[0].empty()) GTEST_SKIP() << "no cgroup v2 here";
  for (const auto& path : cgroups) EXPECT_TRUE(std::filesystem::exists(path));
  close();
  // The shim of `lost` dies while no agent is there. Not even the folder of the orphan is left.
  testing::send_signal(shim_of(lost), SIGKILL);
  testing::send_signal(shim_of(orphan), SIGKILL);
  wait_until([&] { return !lives(folder(lost)) && !lives(folder(orphan)); }, "the ends");
  std::filesystem::remove_all(folder(orphan));
  open({lost});
  for (const auto& path : cgroups) EXPECT_FALSE(std::filesystem::exists(path)) << path;
}

TEST_F(process_adopt, a_kept_run_outlives_the_lease) {
  open({}, 3s);
  auto order = waiting();
  auto kept_order = std::make_shared<model::start_run>(*order.order);
  kept_order->keep_on_disconnect = true;
  order.order = kept_order;
  const auto kept = start(std::move(order));
  running(kept);
  const auto other = start(waiting());
  EXPECT_EQ(end_of(other).outcome.reason, shim_status::lease_expired);
  EXPECT_TRUE(lives(folder(kept)));
  let_go();
  EXPECT_EQ(end_of(kept).phase, run_phase::succeeded);
}

TEST_F(process_adopt, kills_nothing_of_another_agent_that_has_a_run_of_the_same_name) {
  config_.use_cgroups = false;
  open();
  const auto run = waiting();
  start(run);
  running(run.order->run);
  auto other_config = config_;
  other_config.runs_dir = dir_ / "other";
  const auto other = make_process_backend(other_config, [](auto) {}).value();
  ASSERT_TRUE(other->adopt({}));
  other->renew({boot_now() + 60s});
  other->start(run);
  const auto other_folder = other_config.runs_dir / to_string(run.order->run);
  wait_until([&] { return std::filesystem::exists(other_folder / run_file::started); }, "a start");
  testing::send_signal(shim_of(run.order->run), SIGKILL);
  EXPECT_EQ(end_of(run.order->run).outcome.reason, reason::lost);
  EXPECT_TRUE(lives(other_folder));
  let_go();
  wait_until([&] { return !lives(other_folder); }, "the end of the other run");
  const auto status = read_record<shim_status>(other_folder / run_file::status);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->reason, shim_status::completed);
}

TEST_F(process_adopt, kills_runs_of_an_unknown_store) {
  open();
  const auto run = start(waiting());
  const auto pid = pid_of(run);
  close();
  EXPECT_TRUE(open({}).empty());
  EXPECT_FALSE(process_exists(pid));
  EXPECT_FALSE(lives(folder(run)));
}

TEST_F(process_adopt, survives_sigkill_of_the_agent_while_it_starts_runs) {
  open();
  close();
  std::vector<run_launch> runs;
  for (int i = 0; i < 30; ++i) runs.push_back(waiting());
  const pid_t agent = ::fork();
  if (agent == 0) {
    auto made = make_process_backend(config_, [](auto) {});
    static_cast<void>((*made)->adopt({}));
    (*made)->renew({boot_now() + 60s});
    for (const auto& run : runs) (*made)->start(run);
    for (;;) ::pause();
  }
  const auto root = std::filesystem::canonical(config_.runs_dir);
  wait_until([&] { return std::filesystem::exists(root / to_string(runs[5].order->run) / "plan"); },
             "some runs");
  testing::send_signal(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
  std::vector<model::run_key> known;
  for (const auto& run : runs) known.push_back(run.order->run);
  const auto found = open({known.begin(), known.end()});
  ASSERT_EQ(found.size(), known.size());
  let_go();
  int alive = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].run, known[i]);
    if (is_final(found[i].phase)) {
      EXPECT_EQ(found[i].outcome.reason, reason::not_started);
      continue;
    }
    ++alive;
    EXPECT_EQ(end_of(known[i]).phase, run_phase::succeeded);
  }
  EXPECT_GE(alive, 5);
}

TEST_F(process_adopt, frees_descriptors_of_ended_runs) {
  open();
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"},
                         std::filesystem::directory_iterator{});
  };
  end_of(start(command({"true"})));
  const auto before = count();
  for (int i = 0; i < 10; ++i) end_of(start(command({"true"})));
  wait_until([&] { return count() == before; }, "closed descriptors");
}

}  // namespace argosy::backends
