// SPDX-License-Identifier: Apache-2.0
// This file declares the base of tests in which an agent dies while a gang over two agents starts.
#pragma once

#include <time.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/chaos/linked_world.hpp"

namespace argosy::chaos {

class gang_world : public linked_world {
 protected:
  /// When the first agent is killed.
  enum class moment : std::uint8_t {
    after_the_lease,  ///< Its member is leased and its order waits for an agent that stands still.
    after_a_while,    ///< Some time after the gang was accepted.
    after_the_start,  ///< Its member's process has left its first trace.
  };

  /// Submits a gang, kills the first agent, and starts it again when it has been away so long. The
  /// members run on until both are seen alive at once. `later` is the time of
  /// moment::after_a_while.
  void begin_while_an_agent_dies(moment when, std::chrono::milliseconds away,
                                 std::chrono::milliseconds later = 0ms) {
    const auto first = told.size();
    const auto name = "gang" + std::to_string(first);
    const auto go = world.folder() / (name + "-go");
    const auto processes = begun();
    auto& agent = world.agent(0);
    if (when == moment::after_the_lease) agent.signal(SIGSTOP);
    ASSERT_TRUE(submit_gang(name, go.string()));
    if (when == moment::after_the_lease)
      ASSERT_TRUE(testing::eventually([&] { return is_placed_on("c1"); }));
    else if (when == moment::after_the_start)
      ASSERT_TRUE(testing::eventually([&] { return begun() == processes + 2; }));
    else
      std::this_thread::sleep_for(later);
    agent.kill();
    std::this_thread::sleep_for(away);
    world.start_agent(0);
    EXPECT_TRUE(testing::eventually([&] { return is_alive(first) && is_alive(first + 1); }, 40s))
        << world.ctl({"get", "jobs"}).out << world.ctl({"get", "nodes"}).out;
    world.deployment().write(name + "-go", "");
    EXPECT_TRUE(testing::eventually([&] { return nothing_is_left(); }, 40s))
        << world.ctl({"get", "jobs"}).out;
    expect_whole(first);
  }

 private:
  /// Whether a process of the job has left a trace just now.
  [[nodiscard]] bool is_alive(std::size_t which) const {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    constexpr std::int64_t second = 1'000'000'000;
    const auto since = now.tv_sec * second + now.tv_nsec - second / 4;
    const auto all = witness::read_traces(world.traces_folder());
    const auto seen = all.find(told[which].job);
    return seen != all.end() && std::ranges::any_of(seen->second, [&](const auto& process) {
             return process.last_ns > since;
           });
  }
  /// Whether a run of a job that has not ended is leased to the cluster or runs there.
  [[nodiscard]] bool is_placed_on(const std::string& cluster) const {
    const auto got = world.ctl({"get", "jobs", "--active", "-o", "json"});
    return got.out.find("\"" + cluster + "\"") != std::string::npos;
  }

  /// Each member of the gang that begins there came to its end once, beside the end of the other.
  void expect_whole(std::size_t first) const {
    const auto all = witness::read_traces(world.traces_folder());
    std::vector<witness::process_trace> ended;
    for (auto i = first; i < first + 2; ++i) {
      const auto seen = all.find(told[i].job);
      ASSERT_NE(seen, all.end()) << told[i].job << " has never run";
      for (const auto& one : seen->second)
        if (one.ended) ended.push_back(one);
    }
    ASSERT_EQ(ended.size(), 2u) << "a member came to its end without the other, or twice";
    EXPECT_LT(ended[0].first_ns, ended[1].last_ns) << "a member ran on without the other";
    EXPECT_LT(ended[1].first_ns, ended[0].last_ns) << "a member ran on without the other";
  }
};

}  // namespace argosy::chaos
