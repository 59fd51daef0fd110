// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/world.hpp"

#include "runtime/scheduling/engine/nodes/idle_islands.hpp"

namespace argosy::scheduling::engine {

world::world(const tables& t, const config& conf, const round_params& params, std::uint32_t pool)
    : nodes(t, conf, params, pool),
      terms(nodes),
      free(nodes),
      bound(nodes, free),
      table(nodes, free),
      search(nodes, free, terms),
      table_walks(nodes, free, table, terms) {
  leave_out_islands(nodes, terms, pool);
}

}  // namespace argosy::scheduling::engine
