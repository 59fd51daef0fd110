// SPDX-License-Identifier: Apache-2.0
// This file declares which waiting jobs one node could run: the question of explain, asked from
// the node's side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/explain/one_node.hpp"

namespace argosy::scheduling {

struct prospect {
  ulid id;
  std::string queue;
  std::uint64_t place = 0;     ///< Its place among the waiting jobs of its queue, from 1.
  bool by_preemption = false;  ///< Only if jobs of lower priority leave.
};

/// Jobs that do not fit for the same first cause.
struct kept_jobs {
  obstacle what;  ///< It has the least need of these jobs.
  std::uint64_t jobs = 0;
};

struct node_prospects {
  std::uint64_t waiting = 0;    ///< The waiting jobs of the queues that were asked for.
  std::uint64_t looked_at = 0;  ///< How many of them were judged, the first of each queue.
  std::uint64_t fitting = 0;    ///< How many of these fit, each alone and if the node were open.
  std::vector<prospect> first;  ///< The first of them, queue by queue in the order of names.
  std::vector<kept_jobs> kept;  ///< Why the others do not fit, most jobs first.
};

/// The bounds of one look.
struct prospect_limits {
  std::size_t named = 20;       ///< So many jobs that fit are named.
  std::size_t looks = 100'000;  ///< So many jobs are judged, of each queue equally many.
};

/// Judges the waiting jobs of the queue, or of all queues for an empty name. Jobs of one shape cost
/// a look-up each. The result is empty while the snapshot is not settled.
[[nodiscard]] node_prospects waiting_for(const one_node& node, std::string_view queue,
                                         prospect_limits limits);

}  // namespace argosy::scheduling
