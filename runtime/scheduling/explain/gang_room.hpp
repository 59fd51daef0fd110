// SPDX-License-Identifier: Apache-2.0
// How much of a waiting gang there is room for: now, and if nothing ran in the pool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"

namespace argosy::scheduling {

class snapshot;

struct gang_room {
  std::uint32_t members = 0;  ///< Those that wait.
  std::uint32_t minimum = 0;  ///< So many of those have to start together.
  /// So many would start beside what runs, each on the first node that has room for it, the largest
  /// first, and nobody preempted: what a round decides may differ.
  std::uint32_t fit_now = 0;
  /// Not more than so many could run at once on empty nodes; see pool_capacity::takes_together().
  std::uint32_t fit_ever = 0;
  std::string
      where;  ///< "under rack=a" or "in cluster c", of fit_now; empty if they may be anywhere.
  std::string label;          ///< That all must share; empty: none.
  bool label_read = true;     ///< False: preset `current` reads indexed labels alone.
  bool label_carried = true;  ///< Some node of the pool has that label.
  std::string next_needs;     ///< The first member that does not fit now: "2 cores, ..."; or empty.
};

/// Nothing for a job without a gang, for a pool or job that the snapshot does not know, or while
/// that is not settled. Costs some walks over the pool's nodes for each member.
[[nodiscard]] std::optional<gang_room> room_for_gang(const snapshot& from, const config& conf,
                                                     std::string_view pool, const ulid& job);

}  // namespace argosy::scheduling
