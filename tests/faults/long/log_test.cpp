// SPDX-License-Identifier: Apache-2.0
// Goal: a nats-server that hangs or has no room left, a log that is damaged, a store that is older
// than the log, and a leader that wakes up too late lose no accepted job and run none twice (F11 to
// F15, F35). Method: real processes, and the witnesses of the jobs.
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <thread>

#include "tests/support/chaos/linked_world.hpp"
#include "tests/support/eventlog/damage.hpp"

namespace argosy::chaos {

namespace {

namespace fs = std::filesystem;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class log_faults : public linked_world {
 protected:
  void SetUp() override {}
  void begin() { linked_world::SetUp(); }

  std::set<std::string> known() const {
    const auto got = world.ctl({"get", "jobs", "--all", "-o", "name", "--timeout", "5s"});
    std::set<std::string> out;
    if (got.code == 0)
      for (const auto& line : testing::lines_of(got.out)) out.insert(line.substr(4));
    return out;
  }
  std::size_t unknown_of_told() const {
    const auto all = known();
    std::size_t out = 0;
    for (const auto& one : told) out += all.contains(one.job) ? 0 : 1;
    return out;
  }
  bool is_ready() const {
    const auto lines = testing::lines_of(testing::content_of(world.deployment().ready_file()));
    if (lines.size() < 2) return false;
    const auto got = world.deployment().program(
        {"/usr/bin/curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", lines[1] + "/readyz"});
    return got.out == "200";
  }
  bool copy(const fs::path& from, const fs::path& to) const {
    return world.deployment()
               .program({"/usr/bin/env", "cp", "-a", from.string(), to.string()})
               .code == 0;
  }
  void say(const std::string& what, steady_clock::time_point since) const {
    std::cout << what << " after "
              << duration_cast<milliseconds>(steady_clock::now() - since).count() << " ms\n";
  }
  /// Runs jobs to their ends, and ends argosyd and its server before the log is damaged.
  void make_a_damaged_log() {
    begin();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(submit(4, 50ms));
    ASSERT_TRUE(testing::eventually([&] { return nothing_is_left(); }));
    world.argosyd().kill();
    world.nats().kill();
    fs::remove(world.deployment().ready_file());
    fs::remove(world.folder() / "argosyd.log");
    ASSERT_TRUE(testing::damage_messages(world.jetstream_folder(), "witness"));
  }
  bool serves_or_has_ended() { return world.ready() || !world.argosyd().running(); }
};

TEST_F(log_faults, a_server_that_is_stopped_for_half_a_minute_costs_no_job) {
  begin();
  ASSERT_TRUE(submit(12, 3s));
  world.nats().signal(SIGSTOP);
  const auto begun_at = steady_clock::now();
  EXPECT_FALSE(submit(1, 100ms));
  EXPECT_LT(steady_clock::now() - begun_at, 8s) << "a caller is told so within his time limit";
  EXPECT_TRUE(testing::eventually([&] { return !is_ready(); }, 30s));
  say("not ready", begun_at);
  std::this_thread::sleep_until(begun_at + 30s);
  world.nats().signal(SIGCONT);
  const auto back = steady_clock::now();
  EXPECT_TRUE(testing::eventually([&] { return submit(1, 100ms); }, 20s));
  say("takes jobs again", back);
  expect_kept(60s);
}

TEST_F(log_faults, a_server_without_room_on_its_disk_costs_no_job) {
  const auto disk = world.folder() / "disk";
  fs::create_directory(disk);
  if (::geteuid() != 0 || ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=40m,mode=0700") != 0)
    GTEST_SKIP() << "this needs root and tmpfs";
  world.settings().jetstream_folder = (disk / "jetstream").string();
  world.settings().log_bytes = "16MiB";
  begin();
  ASSERT_TRUE(submit(12, 2s));
  const auto filled = world.deployment().program(
      {"/usr/bin/env", "dd", "if=/dev/zero", "of=" + (disk / "filler").string(), "bs=4k"});
  EXPECT_NE(filled.code, 0) << "the disk is full";
  const auto full = steady_clock::now();
  EXPECT_TRUE(testing::eventually([&] { return !submit(1, 100ms); }, 20s));
  say("refuses jobs", full);
  EXPECT_TRUE(testing::eventually([&] { return !is_ready(); }, 10s));
  say("not ready", full);
  fs::remove(disk / "filler");
  const auto back = steady_clock::now();
  const bool by_itself = testing::eventually([&] { return submit(1, 100ms); }, 20s);
  std::cout << "with room again it goes on "
            << (by_itself ? "by itself" : "only when nats-server is killed") << "\n";
  if (!by_itself) {
    world.nats().kill();
    world.start_nats();
    world.start_argosyd();
    EXPECT_TRUE(testing::eventually([&] { return submit(1, 100ms); }, 30s));
  }
  say("takes jobs again", back);
  expect_kept(60s);
  world.nats().kill();
  EXPECT_TRUE(testing::eventually([&] { return ::umount(disk.c_str()) == 0; }, 10s));
}

/// The store has everything, so that argosyd begins a new generation of the log by itself.
TEST_F(log_faults, a_damaged_log_beside_its_store_costs_no_job) {
  make_a_damaged_log();
  world.start_nats();
  world.start_argosyd();
  ASSERT_TRUE(testing::eventually([&] { return world.ready(); }, 60s))
      << world.last_of("argosyd.log");
  EXPECT_EQ(unknown_of_told(), 0u);
  EXPECT_TRUE(testing::eventually([&] { return submit(1, 50ms); }, 20s));
}

TEST_F(log_faults, a_damaged_log_without_its_store_is_not_taken_for_whole) {
  make_a_damaged_log();
  fs::remove_all(world.data_folder() / "store");
  world.start_nats();
  world.start_argosyd();
  ASSERT_TRUE(testing::eventually([&] { return serves_or_has_ended(); }, 120s))
      << "it neither serves nor ends nor says why";
  std::cout << "it says: " << world.last_of("argosyd.log", 600) << "\n";
  if (world.ready()) {
    EXPECT_EQ(unknown_of_told(), 0u) << "it may serve only if nothing is missing";
    return;
  }
  EXPECT_NE(world.argosyd().wait(1s), 0);
}

TEST_F(log_faults, a_store_that_is_older_than_the_log_catches_up) {
  begin();
  ASSERT_TRUE(submit(6, 3s));
  world.argosyd().kill();
  ASSERT_TRUE(copy(world.data_folder(), world.folder() / "older"));
  world.start_argosyd();
  ASSERT_TRUE(testing::eventually([&] { return submit(6, 3s); }, 20s));
  ASSERT_TRUE(testing::eventually([&] { return begun() >= 12; }));
  world.argosyd().kill();
  fs::remove_all(world.data_folder());
  ASSERT_TRUE(copy(world.folder() / "older", world.data_folder()));
  world.start_argosyd();
  ASSERT_TRUE(testing::eventually([&] { return submit(2, 100ms); }, 20s));
  expect_kept();
}

TEST_F(log_faults, a_leader_that_wakes_up_after_another_leads_changes_nothing) {
  world.settings().more_for_argosyd = "leader:\n  heartbeat: 200ms\n  takeover: 2s\n";
  begin();
  auto text = testing::content_of(world.folder() / "made/argosyd.yaml");
  text.replace(text.find("journal:\n"), 9,
               "journal:\n  keyFile: " + (world.data_folder() / "log.key").string() + "\n");
  const auto config = world.deployment().write("made/second.yaml", text);
  const auto ready = world.folder() / "ready-second";
  ASSERT_TRUE(submit(12, 6s));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
  auto second = world.deployment().start_program(
      {"argosyd", "--config", config, "--data-dir", (world.folder() / "second").string(),
       "--ready-file", ready.string()},
      "second");
  ASSERT_TRUE(testing::eventually([&] {
    return world.last_of("second.log").find("waiting until it ends") != std::string::npos;
  })) << world.last_of("second.log");
  EXPECT_TRUE(submit(1, 100ms));
  world.argosyd().signal(SIGSTOP);
  const auto paused = steady_clock::now();
  ASSERT_TRUE(testing::eventually([&] { return fs::exists(ready); }, 40s))
      << world.last_of("second.log");
  say("the second leads", paused);
  EXPECT_TRUE(testing::eventually([&] { return submit(2, 100ms); }, 20s));
  world.argosyd().signal(SIGCONT);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(testing::eventually([&] { return submit(1, 100ms); }, 10s));
    std::this_thread::sleep_for(200ms);
  }
  std::cout << "the first " << (world.argosyd().running() ? "waits" : "has ended") << "\n";
  EXPECT_TRUE(second.running());
  expect_kept();
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait(10s), 0);
}

}  // namespace

}  // namespace argosy::chaos
