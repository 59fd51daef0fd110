// SPDX-License-Identifier: Apache-2.0
// The nodes of one pool and the jobs on them: what is given, what is free, who is where, who may
// come back, and the search for a node. Steps are given the whole of it; each part owns its state.
// It lives on from round to round: it follows the snapshot, and before a round whatever the last
// one did is taken back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/scheduling/engine/nodes/bindings.hpp"
#include "runtime/scheduling/engine/nodes/idle_islands.hpp"
#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/node_columns.hpp"
#include "runtime/scheduling/engine/nodes/returning_table.hpp"
#include "runtime/scheduling/engine/nodes/room.hpp"
#include "runtime/scheduling/engine/nodes/search.hpp"
#include "runtime/scheduling/engine/nodes/table_search.hpp"

namespace argosy::scheduling::engine {

class world {
 public:
  /// Is ready for a round. Tables and configuration have to stay where they are.
  world(const tables& t, const config& conf, const round_params& params, std::uint32_t pool);

  node_columns nodes;
  const std::vector<std::int64_t> largest_indexed;  ///< The largest total by column of the index.
  matching terms;
  room free;
  bindings bound;
  returning_table table;
  node_search search;
  table_search table_walks;

  /// Becomes ready for another round of the pool, with the same closed executors, on what its
  /// snapshot has become. Returns how many nodes were measured for that; nothing if more than jobs
  /// and queues changed since the last round: then it is of no use any more.
  [[nodiscard]] std::optional<std::size_t> begin_round();

  /// Whether an invalid affinity rule was met or a search got stuck, so that the round fails.
  [[nodiscard]] bool is_stuck() const { return search.stuck() || table_walks.stuck(); }

 private:
  void leave_out_islands();

  idle_islands islands_;
  std::uint64_t numbering_;    ///< That of the tables when this was made.
  std::uint64_t others_;       ///< The same of their node_changes.
  std::size_t pools_;          ///< The number of pools that the tables knew ...
  std::size_t labels_;         ///< ... and that of labels.
  std::uint64_t position_;     ///< The position in node_changes up to which this follows.
  std::uint64_t round_began_;  ///< The position in the log of room at which the last round began.
};

/// A job on a node.
struct found_job {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  std::uint32_t node = none;
};

}  // namespace argosy::scheduling::engine
