// SPDX-License-Identifier: Apache-2.0
// Why a job waits, in words for its owner: one sentence for the job, and one line for each pool.
// Pure text; round_history collects the facts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/native/coordinator.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"
#include "runtime/scheduling/explain/gang_room.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// What is known of a waiting job in one pool. What was not looked at keeps its default.
struct pool_facts {
  std::string pool;
  /// What the pool's last round said; nothing: none has looked at the job.
  std::optional<scheduling::reason> code;
  std::string discarded;  ///< Why the pool's last plan was discarded; empty: it was not.
  /// Some node could take the job, and enough of them its gang, if nothing ran on them.
  bool ever = true;
  bool looked_at = true;  ///< False: whether it ever could is not known.
  scheduling::exclusions counts;
  std::optional<scheduling::gang_room> gang;
  std::optional<native::queue_share> share;  ///< Of the job's queue.
  std::shared_ptr<const scheduling::config> config;
  std::uint64_t round = 0;
  std::int64_t time_ns = 0;
};

struct waiting_job {
  std::string queue;
  bool in_gang = false;
};

/// The job can never run in the pool, whatever ends there.
[[nodiscard]] bool is_never(const pool_facts& facts);

/// The most promising pool first: where a turn or a limit is all that the job waits for, where it
/// waits for room, where nodes are closed, where it can never run; then by name.
void sort_by_promise(std::vector<pool_facts>& pools);

/// One sentence for the job. `pools` are sorted; without any, there are no nodes.
[[nodiscard]] std::string sentence(const waiting_job& job, const std::vector<pool_facts>& pools);

/// "pool default: 3 nodes have too little cpu free: 1 core at most, and it needs 2 cores;
/// 1 node has the taint gpu=true:NoSchedule, which it does not tolerate"
[[nodiscard]] std::string pool_line(const waiting_job& job, const pool_facts& facts);

}  // namespace argosy::rounds
