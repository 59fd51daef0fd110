// SPDX-License-Identifier: Apache-2.0
// Writes why a job waits, in words for its owner: one sentence for the job, and one line for each
// pool. It only makes text; round_history collects the facts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/native/coordinator.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"
#include "runtime/scheduling/explain/gang_room.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// What is known of a waiting job in one pool. What was not looked at keeps its default.
struct pool_facts {
  model::pool_name pool;
  /// What the pool's last round said; nothing if no round has looked at the job.
  std::optional<scheduling::reason> code;
  std::string discarded;  ///< Why the pool's last plan was discarded; empty if it was not.
  /// Whether the job could run if nothing else ran: some node could take it, or enough nodes its
  /// gang.
  bool ever = true;
  bool looked_at = true;  ///< False: nobody has looked whether the job could ever run.
  scheduling::exclusions counts;
  std::optional<scheduling::gang_room> gang;
  std::optional<native::queue_share> share;  ///< The share of the job's queue.
  std::shared_ptr<const scheduling::config> config;
  std::uint64_t round = 0;
  std::int64_t time_ns = 0;
};

struct waiting_job {
  model::queue_name queue;
  bool in_gang = false;
};

/// Whether the job can never run in the pool, whatever ends there.
[[nodiscard]] bool is_never(const pool_facts& facts);

/// Whether the sentence says that the job waits for nodes that take no new jobs, and not for room.
[[nodiscard]] bool is_about_closed_nodes(std::string_view sentence) noexcept;

/// Puts the most promising pool first: where the job waits only for its turn or a limit, then where
/// it waits for room, then where nodes are closed, then where it can never run; equals by name.
void sort_by_promise(std::vector<pool_facts>& pools);

/// One sentence for the job. `pools` must be sorted; if it is empty, there are no nodes.
[[nodiscard]] std::string sentence(const waiting_job& job, const std::vector<pool_facts>& pools);

/// The line of one pool, such as "pool default: 3 nodes have too little cpu free: 1 core at most,
/// and it needs 2 cores; 1 node has the taint gpu=true:NoSchedule, which it does not tolerate".
[[nodiscard]] std::string pool_line(const waiting_job& job, const pool_facts& facts);

}  // namespace argosy::rounds
