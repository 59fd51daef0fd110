// SPDX-License-Identifier: Apache-2.0
// This file defines a small world in which rounds follow each other at chosen times, for tests of
// what one round hands to the next.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/scheduling/between/carry_over.hpp"
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {

inline constexpr std::int64_t second = 1'000'000'000;

/// Has one node of 100 cpu and the queues a and b, to which add() adds jobs of 1 cpu. What a round
/// starts runs until a test removes it.
struct stage {
  config conf = bench_config(preset::argosy);
  snapshot world{conf};
  carry_over carried;
  round_params params;
  std::uint8_t next_id = 1;

  stage() {
    node_row node;
    node.id = "n";
    node.executor = "e";
    node.pool = "default";
    node.total = {{"cpu", 100'000}, {"memory", 1000}};
    EXPECT_TRUE(world.upsert_node(node));
    for (const char* queue : {"a", "b"}) EXPECT_TRUE(world.upsert_queue({queue, 1.0, false, {}}));
  }

  ulid add(const std::string& queue, const std::string& priority_class = "std") {
    job_row job;
    job.id.bytes[15] = next_id++;
    job.queue = queue;
    job.shape = *world.intern({priority_class, {{"cpu", 1000}}, {}, {}, {}});
    EXPECT_TRUE(world.upsert_job(job));
    return job.id;
  }

  /// Decides a round at this time; what it leases runs from then on.
  plan at(std::int64_t now) {
    world.settle();
    params.round_time_ns = now;
    carried.open(conf, params);
    auto what = schedule(world, conf, params);
    EXPECT_EQ(what.error + what.violation, "");
    carried.close(conf, params, what);
    for (const auto& lease : what.leases) {
      job_row job;
      job.id = lease.job;
      job.queue = std::string(world.job_queue(lease.job_index));
      job.shape = world.job_shape(lease.job_index);
      job.run = run_row{"n", now, lease.priority, "default"};
      EXPECT_TRUE(world.upsert_job(job));
    }
    return what;
  }
};

}  // namespace argosy::scheduling
