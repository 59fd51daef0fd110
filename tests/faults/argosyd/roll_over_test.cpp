// SPDX-License-Identifier: Apache-2.0
// Goal: a log that rolls over under load loses no accepted job, gives the disk of old generations
// back, and a lost store is made anew from a snapshot. Method: a real argosyd and nats-server with
// small generations; argosyd is killed somewhere, and the store is removed.
#include <atomic>
#include <fstream>
#include <thread>

#include "tests/faults/argosyd/own_server_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class rolling_log : public own_server_fixture {
 protected:
  rolling_log() { journal = "  generationBytes: 1MiB\n"; }

  static constexpr std::size_t jobs_in_file = 100;
  /// Submits small files until it is told to stop or one is not accepted, and counts the jobs.
  std::jthread load() {
    return std::jthread{[this](const std::stop_token& stop) {
      const std::vector<job_text> all(jobs_in_file, job_text{"true"});
      const auto file = world.write("load.yaml", deployment::jobs(all));
      while (!stop.stop_requested()) {
        ++asked;
        if (ctl({"submit", file}).code != 0) break;
        accepted += jobs_in_file;
      }
    }};
  }
  void wait_for_snapshot(unsigned generation) const {
    EXPECT_TRUE(eventually([&] { return has_snapshot(generation); }, 40s)) << log();
  }
  bool has_snapshot(unsigned generation) const {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator{world.data_dir() / "snapshots", failed})
      if (entry.path().filename().string().starts_with(std::to_string(generation) + "-"))
        return true;
    return false;
  }
  void damage_newest_snapshot() const {
    for (const auto& entry : fs::directory_iterator{world.data_dir() / "snapshots"})
      if (entry.path().filename().string().starts_with("4-")) {
        const auto file = entry.path() / "store" / "data.mdb";
        std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
        bytes.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
        bytes.put('x').put('y').put('z');
      }
  }
  static std::uintmax_t bytes_of(const fs::path& folder) {
    std::uintmax_t out = 0;
    std::error_code failed;
    for (const auto& entry : fs::recursive_directory_iterator{folder, failed})
      if (entry.is_regular_file(failed)) out += entry.file_size(failed);
    return out;
  }
  fs::path stream(unsigned generation) const {
    for (const auto& entry : fs::recursive_directory_iterator{server.folder() / "jetstream"})
      if (entry.path().filename() == "ARGOSY_LOG_000" + std::to_string(generation))
        return entry.path();
    return {};
  }

  std::atomic<std::size_t> accepted = 0;
  std::atomic<std::size_t> asked = 0;
};

TEST_F(rolling_log, keeps_all_jobs_and_gives_back_the_disk_of_old_generations) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  {
    const auto submitting = load();
    wait_for_snapshot(2);
    served.signal(SIGKILL);
    EXPECT_NE(served.wait(10s), 0);
  }
  fs::remove(world.ready_file());
  served = serve();
  // What was under way when the process was killed may have been accepted.
  const auto there = jobs();
  EXPECT_GE(there, accepted);
  EXPECT_LE(there, asked * jobs_in_file);
  accepted = there;
  {
    const auto submitting = load();
    wait_for_snapshot(3);
    wait_for_snapshot(4);
  }
  EXPECT_TRUE(
      eventually([&] { return bytes_of(stream(1)) + bytes_of(stream(2)) < 64u << 10; }, 20s))
      << bytes_of(stream(1)) << ' ' << bytes_of(stream(2)) << log();
  end(served);
  const auto checked = run({"check"});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  served = serve();
  EXPECT_EQ(jobs(), accepted);
  end(served);
  fs::remove_all(world.data_dir() / "store");
  served = serve();
  EXPECT_NE(log().find("made anew from a snapshot"), std::string::npos) << log();
  EXPECT_EQ(jobs(), accepted);
  submit(1);
  end(served);
  EXPECT_EQ(run({"check"}).code, 0) << run({"check"}).out;
  damage_newest_snapshot();
  const auto told = run({"check"});
  EXPECT_EQ(told.code, 3) << told.out;
  EXPECT_NE(told.out.find("the snapshots, 4-"), std::string::npos) << told.out;
  fs::remove_all(world.data_dir() / "store");
  served = serve();
  EXPECT_NE(log().find("a snapshot of the store cannot be used"), std::string::npos) << log();
  EXPECT_EQ(jobs(), accepted + 1) << "the older one is taken";
  end(served);
  // Without snapshots the rest of the log is not enough.
  fs::remove_all(world.data_dir() / "store");
  fs::remove_all(world.data_dir() / "snapshots");
  const auto refused = run({});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("argosyd recover"), std::string::npos) << refused.err;
}

}  // namespace

}  // namespace argosy::testing
