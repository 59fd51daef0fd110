// SPDX-License-Identifier: Apache-2.0
// The nodes of one round and the jobs on them: what is given, what is free, who is where, who may
// come back, and the search for a node. Steps are given the whole of it; each part owns its state.
#pragma once

#include "runtime/scheduling/engine/nodes/bindings.hpp"
#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/node_columns.hpp"
#include "runtime/scheduling/engine/nodes/returning_table.hpp"
#include "runtime/scheduling/engine/nodes/room.hpp"
#include "runtime/scheduling/engine/nodes/search.hpp"
#include "runtime/scheduling/engine/nodes/table_search.hpp"

namespace argosy::scheduling::engine {

struct world {
  world(const tables& t, const config& conf, const round_params& params, std::uint32_t pool);

  node_columns nodes;
  matching terms;
  room free;
  bindings bound;
  returning_table table;
  node_search search;
  table_search table_walks;

  /// Whether an invalid affinity rule was met or a search got stuck, so that the round fails.
  [[nodiscard]] bool is_stuck() const { return search.stuck() || table_walks.stuck(); }
};

/// A job on a node.
struct found_job {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  std::uint32_t node = none;
};

}  // namespace argosy::scheduling::engine
