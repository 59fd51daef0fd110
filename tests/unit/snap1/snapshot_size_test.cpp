// SPDX-License-Identifier: Apache-2.0
// Goal: the memory of a snapshot is bounded by what it holds. Method: 100,000 jobs of ten queues
// and 1,000 nodes of racks of ten, and the bytes that the snapshot counts.
#include <gtest/gtest.h>

#include <string>

#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {
namespace {

TEST(snapshot, holds_a_queued_job_in_200_bytes_and_a_node_in_2_kib) {
  snapshot world(bench_config(preset::argosy));
  const auto shape = world.intern({"std", {{"cpu", 1000}}, {}, {}, {}});
  ASSERT_TRUE(shape);
  constexpr std::size_t jobs = 100'000;
  constexpr std::size_t nodes = 1000;
  for (std::size_t i = 1; i <= jobs; ++i) {
    job_row job;
    for (std::size_t b = 0; b < 4; ++b)
      job.id.bytes[12 + b] = static_cast<std::uint8_t>(i >> (8 * (3 - b)));
    job.queue = "q" + std::to_string(i % 10);
    job.shape = *shape;
    ASSERT_TRUE(world.upsert_job(job));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    node_row node;
    node.id = "node-" + std::to_string(i);
    node.executor = "e";
    node.pool = "default";
    node.total = {{"cpu", 32000}};
    node.labels = {{"rack", "r" + std::to_string(i / 10)}};
    ASSERT_TRUE(world.upsert_node(node));
  }
  world.settle();
  EXPECT_LE(world.job_bytes() / jobs, 200u);
  EXPECT_LE(world.node_bytes() / nodes, 2048u);
}

}  // namespace
}  // namespace argosy::scheduling
