// SPDX-License-Identifier: Apache-2.0
// Goal: a power cut of the disk that has the log, or of the machine that has log and state, loses
// nothing that was acknowledged, whether the stream is new or old (F7, F8, F9). Method: ext4 in a
// file that is copied while it is written, and nats-server and argosyd started again from the copy.
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>
#include <memory>
#include <set>
#include <thread>

#include "tests/faults/long/loop_disk.hpp"
#include "tests/support/chaos/load.hpp"
#include "tests/support/chaos/secured_world.hpp"

namespace argosy::chaos {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct cut_kind {
  const char* name;
  bool aged;     ///< Everything until some seconds before the cut is on the disk.
  bool machine;  ///< The store of argosyd is on the disk as well.
};

class power_cut : public ::testing::TestWithParam<cut_kind> {
 protected:
  void SetUp() override {
    if (!disk.ready()) GTEST_SKIP() << "this needs root, loop devices and mkfs.ext4";
    world_settings chosen;
    chosen.agents = 0;
    chosen.log_bytes = "128MiB";
    chosen.jetstream_folder = (disk.folder() / "jetstream").string();
    if (GetParam().machine) chosen.data_folder = (disk.folder() / "data").string();
    world = std::make_unique<secured_world>(chosen);
    ASSERT_EQ(world->start(), "");
  }
  void TearDown() override {
    if (HasFailure() && world != nullptr) std::cerr << world->last_of("argosyd.log", 4'000);
    if (world == nullptr) return;
    world->argosyd().kill();
    world->nats().kill();
  }

  void submit_for(std::chrono::milliseconds time) {
    if (callers.empty())
      for (std::size_t i = 0; i < 3; ++i)
        callers.emplace_back(*world, "caller" + std::to_string(i), i, true,
                             load_settings{.bulk_count = 20, .pause_max = 0ms});
    for (const auto end = steady_clock::now() + time; steady_clock::now() < end;
         std::this_thread::sleep_for(1ms))
      for (auto& one : callers) one.poll(false, told, counts);
  }
  /// Everything stops in the same moment and comes back with what the disk has.
  void cut() {
    world->nats().signal(SIGSTOP);
    if (GetParam().machine) world->argosyd().signal(SIGSTOP);
    ASSERT_TRUE(disk.cut());
    world->nats().kill();
    if (GetParam().machine) world->argosyd().kill();
    ASSERT_TRUE(disk.come_back());
  }
  std::set<std::string> known() const {
    const auto got = world->ctl({"get", "jobs", "--all", "-o", "name", "--timeout", "5s"});
    std::set<std::string> out;
    if (got.code == 0)
      for (const auto& line : testing::lines_of(got.out)) out.insert(line.substr(4));
    return out;
  }

  /// Returns how argosyd described its recovery when it was started last.
  std::string last_recovery() const {
    const auto text = testing::content_of(world->folder() / "argosyd.log");
    const auto at = text.rfind("\"live_jobs\"");
    return at == std::string::npos ? "" : text.substr(at, text.find(",\"src\"", at) - at);
  }

  testing::loop_disk disk{256};
  std::unique_ptr<secured_world> world;
  std::vector<caller> callers;
  std::vector<witness::acknowledged> told;
  load_counts counts;
};

TEST_P(power_cut, loses_nothing_that_was_acknowledged) {
  submit_for(2s);
  if (GetParam().aged) {
    ASSERT_TRUE(disk.sync());
    submit_for(3s);
  }
  const auto before = told.size();
  ASSERT_GT(before, 100u);
  cut();
  const auto begun = steady_clock::now();
  world->start_nats();
  // Callers go on until they are answered, and whoever supervises argosyd starts it again.
  while (told.size() == before && steady_clock::now() - begun < 60s) {
    world->start_argosyd();
    submit_for(20ms);
  }
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begun);
  EXPECT_GT(told.size(), before) << "it takes jobs again";
  const auto jobs = known();
  std::size_t lost = 0;
  for (const auto& one : told) lost += jobs.contains(one.job) ? 0 : 1;
  EXPECT_EQ(lost, 0u) << "of " << told.size();
  std::cout << GetParam().name << ": acknowledged " << before << ", lost " << lost
            << ", takes jobs again after " << took.count() << " ms; " << last_recovery() << "\n";
  EXPECT_LT(took, 10s);
}

INSTANTIATE_TEST_SUITE_P(each, power_cut,
                         ::testing::Values(cut_kind{"of_a_new_log", false, false},
                                           cut_kind{"of_an_old_log", true, false},
                                           cut_kind{"of_a_machine_with_a_new_log", false, true},
                                           cut_kind{"of_a_machine_with_an_old_log", true, true}),
                         [](const auto& one) { return std::string{one.param.name}; });

}  // namespace

}  // namespace argosy::chaos
