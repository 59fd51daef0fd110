// SPDX-License-Identifier: Apache-2.0
// Goal: nothing of a run outlives it, and no command can free itself from its lease, whoever is
// killed or stopped.
// Method: commands that fork away, resist signals and clear their environment; the shim and the
// agent get SIGKILL or SIGSTOP.
#include <sys/wait.h>

#include "runtime/backends/run/children.hpp"
#include "tests/integration/process_backend/process_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

/// A process that nobody finds by session, parent or environment, and that ignores signals. It
/// writes what it sees as its own id and then its beats into a file.
std::string runaway(const std::filesystem::path& beats) {
  return "setsid env -i /bin/sh -c \"trap '' HUP TERM; (while :; do echo beat >> " +
         beats.string() + "; sleep 0.02; done) &\" & ";
}

}  // namespace

class process_isolation : public process_fixture {
 protected:
  void SetUp() override {
    const auto command = config_.shim.string() + " --missing";
    FILE* answer = ::popen(command.c_str(), "r");
    ASSERT_NE(answer, nullptr);
    char line[512];
    while (std::fgets(line, sizeof line, answer) != nullptr) missing_ += line;
    ::pclose(answer);
    config_.use_cgroups = false;
  }

  [[nodiscard]] bool no_namespace() const {
    return missing_.find("PID namespace") != std::string::npos;
  }

  /// Whether the file of beats still grows, looked at for longer than several beats take.
  bool beats(const std::filesystem::path& file) {
    std::error_code code;
    const auto before = std::filesystem::file_size(file, code);
    for (int i = 0; i < 60; ++i) {
      if (std::filesystem::file_size(file, code) != before) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

  std::string missing_;
};

TEST_F(process_isolation, ends_everything_when_shim_and_agent_are_killed_together) {
  if (no_namespace()) GTEST_SKIP() << missing_;
  const auto file = dir_ / "beats";
  const auto run = shell(runaway(file) + "work() { sleep 1000; }; trap '' TERM; work & wait");
  const pid_t agent = ::fork();
  if (agent == 0) {
    auto made = make_process_backend(config_, [](auto) {});
    static_cast<void>((*made)->adopt({}));
    (*made)->renew({boot_now() + 60s});
    (*made)->start(run);
    for (;;) ::pause();
  }
  wait_until([&] { return std::filesystem::exists(file); }, "the work");
  const auto shim = shim_of(run.order->run);
  testing::send_signal(agent, SIGKILL);
  testing::send_signal(shim, SIGKILL);
  ::waitpid(agent, nullptr, 0);
  wait_until([&] { return !lives(folder(run.order->run)); }, "the end of the shim");
  wait_until([&] { return !beats(file); }, "the end of the work");
}

TEST_F(process_isolation, keeps_the_shim_out_of_reach) {
  if (no_namespace()) GTEST_SKIP() << missing_;
  open();
  const auto run = start(shell("kill -STOP $PPID; kill -9 $PPID; echo $PPID; exit 3"));
  const auto end = end_of(run);
  EXPECT_EQ(end.outcome.exit_code, 3);
  EXPECT_EQ(output(run).substr(output(run).rfind("1\n")), "1\n") << "the parent is the run's init";
}

TEST_F(process_isolation, shows_a_run_its_own_processes_alone) {
  if (!missing_.empty()) GTEST_SKIP() << missing_;
  open();
  const auto run = start(shell("ls -d /proc/[0-9]* | wc -l"));
  EXPECT_EQ(end_of(run).phase, run_phase::succeeded);
  EXPECT_LE(std::stoi(output(run)), 4);
}

TEST_F(process_isolation, ends_a_run_by_its_lease_although_the_shim_is_stopped) {
  if (no_namespace()) GTEST_SKIP() << missing_;
  open({}, 0s);
  const model::run_lease lease{boot_now() + 1s, 200ms};
  backend_->renew(lease);
  const auto file = dir_ / "beats";
  const auto run = start(shell(runaway(file) + "trap '' TERM; sleep 1000"));
  wait_until([&] { return std::filesystem::exists(file); }, "the work");
  const auto shim = shim_of(run);
  close();
  testing::send_signal(shim, SIGSTOP);
  wait_until([&] { return boot_now() > lease.dead_by(); }, "the end of the lease");
  wait_until([&] { return !beats(file); }, "the end of the work");
  EXPECT_LT(boot_now(), lease.dead_by() + 5s);
  testing::send_signal(shim, SIGCONT);
  wait_until([&] { return !lives(folder(run)); }, "the end of the shim");
  const auto found = open({run});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].outcome.reason, "LeaseExpired");
}

TEST_F(process_isolation, was_ended_by_its_lease_also_if_that_is_renewed_before_the_shim_goes_on) {
  if (no_namespace()) GTEST_SKIP() << missing_;
  open({}, 0s);
  backend_->renew({boot_now() + 1s, 200ms});
  const auto file = dir_ / "beats";
  const auto run = start(shell(runaway(file) + "sleep 1000"));
  wait_until([&] { return std::filesystem::exists(file); }, "the work");
  const auto shim = shim_of(run);
  close();
  testing::send_signal(shim, SIGSTOP);
  wait_until([&] { return !beats(file); }, "the end of the work");
  open({run});
  const auto renewed = [&] {
    const auto lease = read_lease(config_.runs_dir / "lease");
    return lease && lease->until > boot_now() + 10s;
  };
  wait_until(renewed, "the renewal");
  testing::send_signal(shim, SIGCONT);
  EXPECT_EQ(end_of(run).outcome.reason, shim_status::lease_expired);
}

TEST_F(process_isolation, was_ended_by_its_lease_also_if_the_agent_had_to_kill_its_init) {
  if (no_namespace()) GTEST_SKIP() << missing_;
  open({}, 0s);
  const model::run_lease lease{boot_now() + 1s, 100ms};
  backend_->renew(lease);
  const auto run = start(shell("echo $$; exec sleep 1000"));
  const auto pid = told_process(run);
  const auto shim = shim_of(run);
  const auto id = std::to_string(shim);
  const pid_t init = std::stoi(read_file("/proc/" + id + "/task/" + id + "/children").value());
  close();
  testing::send_signal(shim, SIGSTOP);
  testing::send_signal(init, SIGSTOP);
  wait_until([&] { return boot_now() > lease.dead_by(); }, "the end of the lease");
  EXPECT_TRUE(process_exists(pid));
  kill_children_of(shim);
  const auto status = "/proc/" + std::to_string(init) + "/status";
  wait_until([&] { return read_file(status).value().find("zombie") != std::string::npos; },
             "the end of the init");
  testing::send_signal(shim, SIGCONT);
  wait_until([&] { return !lives(folder(run)); }, "the end of the shim");
  const auto found = open({run});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].outcome.reason, shim_status::lease_expired);
}

TEST_F(process_isolation, is_enforced_by_the_agent_where_shim_and_command_are_stopped) {
  config_.shim_patience = 100ms;
  open({}, 0s);
  backend_->renew({boot_now() + 1s, 100ms});
  const auto run = start(shell("echo $$; exec sleep 1000"));
  const auto pid = told_process(run);
  testing::send_signal(shim_of(run), SIGSTOP);
  const auto end = end_of(run);
  EXPECT_EQ(end.phase, run_phase::stopped);
  EXPECT_EQ(end.outcome.reason, "LeaseExpired");
  EXPECT_FALSE(process_exists(pid));
}

TEST_F(process_isolation, gives_each_run_a_user_that_owns_its_folder_and_nothing_else) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give users";
  if (!missing_.empty()) GTEST_SKIP() << missing_;
  config_.users.own = model::id_range{2'000'000, 2'000'009};
  std::filesystem::permissions(dir_, std::filesystem::perms::all);
  open();
  auto first = shell(
      "id -u; cd $HOME && touch mine && ls -A $ARGOSY_RUN_DIR; ls -A $ARGOSY_RUN_DIR/..; echo far "
      "> "
      "$ARGOSY_RUN_DIR/../lease; touch " +
      (dir_ / "ready").string() + "; while [ ! -e " + (dir_ / "go").string() +
      " ]; do sleep 0.02; done");
  first.plan.working_dir = "deep/er";
  const auto one = start(std::move(first));
  wait_until([&] { return std::filesystem::exists(dir_ / "ready"); }, "the first run");
  auto second = shell("id -u; touch here");
  second.plan.working_dir = "deep/er";
  const auto two = start(std::move(second));
  EXPECT_EQ(end_of(two).phase, run_phase::succeeded) << output(two);
  EXPECT_EQ(output(two), "2000001\n");
  std::ofstream{dir_ / "go"} << "go";
  EXPECT_EQ(end_of(one).phase, run_phase::succeeded);
  const auto seen = output(one);
  EXPECT_TRUE(seen.starts_with("2000000\nwork\n" + to_string(one) + "\n")) << seen;
  EXPECT_NE(seen.find("lease: Permission denied"), std::string::npos) << seen;
}

TEST_F(process_isolation, refuses_users_that_the_operator_has_not_listed) {
  open();
  auto run = command({"true"});
  run.plan.user = 65533;
  const auto end = run_to_end(std::move(run));
  EXPECT_EQ(end.phase, run_phase::failed);
  EXPECT_EQ(end.outcome.reason, reason::user_not_allowed);
  EXPECT_NE(end.outcome.message.find("process.allowedUsers"), std::string::npos);
}

TEST_F(process_isolation, hides_what_the_agent_names) {
  if (!missing_.empty()) GTEST_SKIP() << missing_;
  std::filesystem::create_directories(dir_ / "store");
  std::ofstream{dir_ / "store" / "data"} << "secret";
  std::ofstream{dir_ / "token"} << "secret";
  config_.hidden = {dir_ / "store", dir_ / "token"};
  open();
  const auto run = start(shell("cat " + (dir_ / "token").string() + "; ls " +
                               (dir_ / "store").string() + "; ls $ARGOSY_RUN_DIR/.."));
  EXPECT_EQ(end_of(run).phase, run_phase::succeeded);
  EXPECT_EQ(output(run), to_string(run) + "\n");
}

TEST_F(process_isolation, bounds_the_processes_of_a_run) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give users";
  config_.users.own = model::id_range{2'000'000, 2'000'009};
  config_.limits.pids_max = 5;
  std::filesystem::permissions(dir_, std::filesystem::perms::all);
  open();
  const auto run =
      start(shell("for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; echo all of them; exit 0"));
  EXPECT_NE(end_of(run).phase, run_phase::succeeded);
  EXPECT_EQ(output(run).find("all of them"), std::string::npos);
}

TEST_F(process_isolation, starts_nothing_while_the_disk_has_less_than_its_reserve) {
  config_.limits.disk_reserve = {std::uint64_t{1} << 60};
  open();
  const auto end = run_to_end(command({"true"}));
  EXPECT_EQ(end.phase, run_phase::refused);
  EXPECT_NE(end.outcome.message.find("process.diskReserve"), std::string::npos);
}

TEST_F(process_isolation, tells_exit_codes_and_signals_as_they_were) {
  open();
  EXPECT_EQ(run_to_end(shell("exit 41")).outcome.exit_code, 41);
  EXPECT_EQ(run_to_end(shell("kill -9 $$")).outcome.signal, SIGKILL);
  EXPECT_EQ(run_to_end(shell("kill -ABRT $$")).outcome.signal, SIGABRT);
}

}  // namespace argosy::backends
