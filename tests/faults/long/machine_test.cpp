// SPDX-License-Identifier: Apache-2.0
// Goal: what happens to a machine, its clock, its disk and copies of its folders, runs no job twice
// and loses none (F25, F31, F13 for an agent). Method: real agents and the witnesses of the jobs; a
// library that shifts the time of day of argosyd and the agents; a small tmpfs.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/support/chaos/linked_world.hpp"

namespace argosy::chaos {

namespace {

namespace fs = std::filesystem;

class machine : public linked_world {
 protected:
  void SetUp() override {}
  void begin() { linked_world::SetUp(); }
  void set_clock(long seconds) const {
    std::ofstream{clock_file.path() / "shift"} << seconds << "\n" << std::flush;
  }
  void shift_clocks() {
    set_clock(0);
    world.settings().environment = {"LD_PRELOAD=" SHIFTED_CLOCK,
                                    "SHIFTED_CLOCK_FILE=" + (clock_file.path() / "shift").string()};
  }

  testing::temp_folder clock_file;
};

TEST_F(machine, whose_clock_is_set_an_hour_on_and_back_keeps_its_runs) {
  shift_clocks();
  begin();
  ASSERT_TRUE(submit(12, 9s));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
  for (const long shift : {3'600L, -3'600L, 0L}) {
    set_clock(shift);
    std::this_thread::sleep_for(2s);
    EXPECT_TRUE(submit(1, 100ms)) << "with a clock that is off by " << shift << " s";
    EXPECT_TRUE(world.argosyd().running());
  }
  expect_kept();
  EXPECT_EQ(found.begun_again, 0u) << "leases go by a clock that nobody sets";
}

TEST_F(machine, whose_clock_is_set_while_it_is_restarted_keeps_its_jobs) {
  shift_clocks();
  begin();
  ASSERT_TRUE(submit(12, 1s));
  for (const long shift : {3'600L, -3'600L}) {
    world.argosyd().kill();
    world.agent(0).kill();
    set_clock(shift);
    world.start_argosyd();
    world.start_agent(0);
    ASSERT_TRUE(testing::eventually([&] { return submit(2, 100ms); }, 20s));
  }
  expect_kept();
}

/// The copy is started on the same machine, as a restored backup would be on another one.
TEST_F(machine, of_which_a_copy_of_the_agents_folder_is_started_runs_no_job_twice) {
  begin();
  ASSERT_TRUE(submit(12, 6s));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
  const auto copy = (world.folder() / "copy").string();
  const auto copied = world.deployment().program(
      {"/usr/bin/env", "cp", "-a", world.agent_folder(0).string(), copy});
  ASSERT_EQ(copied.code, 0) << copied.err;
  auto second = world.deployment().start_program(
      {"argosy-agent", "--config", (world.folder() / "made/agents/c1.yaml").string(), "--data-dir",
       copy},
      "agent-copy");
  ASSERT_TRUE(submit(4, 1s));
  expect_kept();
  EXPECT_EQ(found.begun_again, 0u) << world.last_of("agent-copy.log");
}

TEST_F(machine, whose_agent_lost_its_folder_runs_no_job_twice) {
  begin();
  ASSERT_TRUE(submit(12, 5s, "deaf"));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
  world.agent(0).kill();
  fs::rename(world.agent_folder(0), world.folder() / "lost");
  world.start_agent(0);
  expect_kept(60s);
}

TEST_F(machine, whose_agent_has_no_room_left_loses_no_job) {
  const auto disk = world.agent_folder(0);
  fs::create_directory(disk);
  if (::geteuid() != 0 || ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=24m,mode=0700") != 0)
    GTEST_SKIP() << "this needs root and tmpfs";
  begin();
  ASSERT_TRUE(submit(12, 3s));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
  const auto filled = world.deployment().program(
      {"/usr/bin/env", "dd", "if=/dev/zero", "of=" + (disk / "filler").string(), "bs=64k"});
  EXPECT_NE(filled.code, 0) << "the disk is full";
  submit(6, 500ms);
  std::this_thread::sleep_for(3s);
  std::cout << "the agent " << (world.agent(0).running() ? "lives" : "has ended")
            << " while its disk is full\n";
  fs::remove(disk / "filler");
  // Whoever supervises an agent starts it again as well.
  world.start_agent(0);
  expect_kept(60s);
  world.agent(0).kill();
  EXPECT_TRUE(testing::eventually([&] { return ::umount(disk.c_str()) == 0; }, 10s));
}

}  // namespace

}  // namespace argosy::chaos
