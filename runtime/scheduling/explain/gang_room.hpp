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
  std::uint32_t members = 0;  ///< The number of members that wait.
  std::uint32_t minimum = 0;  ///< How many of these have to start together.
  /// How many members a round would place beside what runs if the gang came first and nobody were
  /// preempted.
  std::uint32_t fit_now = 0;
  /// How many members could run at once on empty nodes at most; see
  /// pool_capacity::takes_together().
  std::uint32_t fit_ever = 0;
  std::string
      /// Where `fit_now` members fit: "under rack=a" or "in cluster c"; empty if members may be
      /// anywhere.
      where;
  std::string label;  ///< The label whose value all members must share; empty: none.
  /// False if the round does not read the label's values, since it is not indexed (preset
  /// `current`).
  bool label_read = true;
  bool label_carried = true;  ///< Some node of the pool has that label.
  std::string next_needs;     ///< The first member that does not fit now: "2 cores, ..."; or empty.
};

/// The room for the job's gang. Nothing for a job without a gang, for an unknown pool or job, and
/// while the snapshot is not settled. It costs several walks over the pool's nodes for each member.
[[nodiscard]] std::optional<gang_room> room_for_gang(const snapshot& from, const config& conf,
                                                     std::string_view pool, const ulid& job);

}  // namespace argosy::scheduling
