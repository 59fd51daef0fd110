// SPDX-License-Identifier: Apache-2.0
// Goal: no accepted job is lost when argosyd and nats-server are killed again and again while the
// log rolls over. Method: a real argosyd and nats-server with small generations, callers who submit
// all the time, and kills at times that a seed gives; some starts find no store.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <random>
#include <thread>

#include "tests/faults/argosyd/own_server_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class killed_roll_overs : public own_server_fixture {
 protected:
  killed_roll_overs() { journal = "  generationBytes: 1MiB\n"; }

  std::jthread load() {
    return std::jthread{[this](const std::stop_token& stop) {
      const std::vector<job_text> all(100, job_text{"true"});
      const auto file = world.write("load.yaml", deployment::jobs(all));
      while (!stop.stop_requested()) {
        ++asked;
        if (world.ctl({"submit", file, "--server", server.url(), "--timeout", "2s"}).code == 0)
          accepted += 100;
      }
    }};
  }
  std::size_t snapshots() const {
    std::error_code failed;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{world.data_dir() / "snapshots", failed}, {}));
  }
  unsigned newest_generation() const {
    unsigned out = 1;
    for (const auto& entry : fs::recursive_directory_iterator{server.folder() / "jetstream"}) {
      const auto name = entry.path().filename().string();
      if (name.starts_with("ARGOSY_LOG_"))
        out = std::max(out, static_cast<unsigned>(std::stoul(name.substr(11))));
    }
    return out;
  }

  std::atomic<std::size_t> accepted = 0;
  std::atomic<std::size_t> asked = 0;
};

TEST_F(killed_roll_overs, lose_no_accepted_job) {
  constexpr unsigned seed = 2026;
  constexpr int kills = 20;
  std::mt19937 random{seed};
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  {
    const auto submitting = load();
    for (int i = 0; i < kills; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1'000 + random() % 5'000});
      if (random() % 4 == 0) {
        server.kill();
        server.restart();
      }
      end(served);
      if (random() % 4 == 0 && snapshots() > 0) fs::remove_all(world.data_dir() / "store");
      served = serve();
    }
  }
  const auto there = jobs();
  EXPECT_GE(there, accepted) << "seed " << seed;
  EXPECT_LE(there, asked * 100) << "seed " << seed;
  end(served);
  const auto checked = run({"check"});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  const auto generations = newest_generation();
  EXPECT_GE(generations, 4u);
  RecordProperty("accepted", static_cast<int>(accepted.load()));
  RecordProperty("generations", static_cast<int>(generations));
  std::cout << accepted << " accepted, " << there << " there, " << generations << " generations\n";
}

}  // namespace

}  // namespace argosy::testing
