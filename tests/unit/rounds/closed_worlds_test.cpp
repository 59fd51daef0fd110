// SPDX-License-Identifier: Apache-2.0
// Goal: whatever happens, and in whatever order, a look at a namespace that a cluster has closed,
// or at its jobs with services or of one owner, costs one run, or one gang; no second run is leased
// only to wait for it; and when the cluster takes runs again, every job gets one. Method: random
// worlds of clusters, rounds and jobs. Runs are refused and taken, cancelled, lost with their nodes
// or not heard of while an agent is silent, and the control plane starts anew.
#include <gtest/gtest.h>

#include "tests/unit/rounds/closed_world.hpp"

namespace argosy::rounds {
namespace {

using namespace std::chrono_literals;

void let_all_be_taken(closed_world& world) {
  world.refusing.clear();
  for (const auto* name : {"a", "b", "c"}) world.say_hello(name);
  for (int i = 0; i < 200; ++i) {
    world.pass(i % 10 == 0 ? 300s : 1s);
    world.cycle();
    for (auto left = world.under_way.size(); left > 0; --left) world.answer_one();
    std::vector<std::uint64_t> done;
    for (const auto& [number, item] : world.jobs)
      if (item.taken) done.push_back(number);
    for (const auto number : done)
      if (world.jobs.contains(number)) world.cancel(number);
  }
  for (const auto& [number, item] : world.jobs)
    EXPECT_GE(item.row.header->shape->requests.at(0).second, 100'000)
        << number << " would fit and waits";
}

TEST(closed_worlds, are_tried_by_few_in_every_order_of_events) {
  std::size_t looks = 0;
  std::size_t restored = 0;
  for (std::uint32_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    closed_world world{seed, seed % 2 == 0 ? "namespace" : "quota"};
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) world.step();
    looks += world.looks_seen;
    restored += world.closures_restored;
    if (!testing::Test::HasFailure()) let_all_be_taken(world);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(restored, 100U);
  EXPECT_GT(looks, 1000U) << "the worlds have something to show";
}

}  // namespace
}  // namespace argosy::rounds
