// SPDX-License-Identifier: Apache-2.0
// This file declares the base of tests of overload: agents whose leases have to be renewed while a
// flood of submissions goes on.
#pragma once

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

#include "tests/support/chaos/flood.hpp"
#include "tests/support/chaos/linked_world.hpp"

namespace argosy::chaos {

class overloaded_world : public linked_world {
 protected:
  void SetUp() override {}
  /// Starts the world with leases of this length.
  void begin(const std::string& lease) {
    world.settings().cpu = "1";
    world.settings().lease = lease;
    // The checker reads the whole log, so that it must not roll over.
    world.settings().log_bytes = "4GiB";
    ASSERT_EQ(world.start(), "");
  }

  /// Floods argosyd for this time while jobs run, and expects that none of these ends for it.
  void flooded_for(std::chrono::milliseconds length) {
    ASSERT_TRUE(submit(12, length + 500ms));
    ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
    flood callers{world};
    const auto end = std::chrono::steady_clock::now() + length;
    double silence = 0;
    while (std::chrono::steady_clock::now() < end) silence = std::max(silence, longest_silence());
    callers.stop();
    const auto before = std::chrono::steady_clock::now();
    EXPECT_TRUE(submit(1, 100ms)) << "the flood is over";
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - before);
    const auto counts = callers.counts();
    std::cout << "sent " << counts.sent << ", accepted " << counts.accepted << ", busy "
              << counts.busy << ", other " << counts.other << " (" << counts.first_other
              << "), longest until accepted " << counts.longest.count()
              << " ms, longest silence of an agent " << silence << " s, next accepted after "
              << took.count() << " ms\n";
    EXPECT_GT(counts.accepted, 0u);
    EXPECT_GT(counts.busy, 0u) << "more came than can be under way";
    EXPECT_EQ(counts.other, 0u) << counts.first_other;
    EXPECT_GT(silence, 0.0) << "it was measured";
    EXPECT_LT(silence, 30.0);
    told.insert(told.end(), callers.told().begin(), callers.told().end());
    const auto cancelled =
        world.ctl({"cancel", "-q", "q", "--jobset", flood::job_set, "--timeout", "50s"});
    EXPECT_EQ(cancelled.code, 0) << cancelled.err;
    expect_kept(60s);
    EXPECT_EQ(found.begun_again, 0u) << "no lease lapses for a flood";
    EXPECT_EQ(found.processes, 13u);
  }

 private:
  /// The longest time in seconds for which argosyd has not heard from an agent now. Agents speak
  /// each 0.4 s, the next time only when they were answered.
  [[nodiscard]] double longest_silence() const {
    testing::launch how;
    how.words = {"/usr/bin/curl", "-sS", "--max-time", "10", world.health_url() + "/metrics"};
    const auto got = testing::run(how, world.folder(), 20s);
    double out = 0;
    constexpr std::string_view name = "argosy_cluster_silence_seconds{";
    for (const auto& line : testing::lines_of(got.out))
      if (line.starts_with(name)) out = std::max(out, std::stod(line.substr(line.rfind(' '))));
    return out;
  }
};

}  // namespace argosy::chaos
