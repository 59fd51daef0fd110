// SPDX-License-Identifier: Apache-2.0
// Which of the jobs that are to leave a node need not leave it after all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/node_columns.hpp"

namespace argosy::scheduling::engine {

/// Takes the victims out of the list without whom a job fits too. The one with the best claim
/// stands last and is asked first. `room` is what is free once all of them have left, and then once
/// the rest has; `freed(victim, visit)` visits the amounts that a victim leaves to the node.
template <class Victim, class Freed>
void spare_unneeded(const node_columns& nodes, const std::int64_t* need,
                    std::vector<std::int64_t>& room, std::vector<Victim>& victims, Freed&& freed) {
  if (victims.size() <= 1) return;  // A single victim is always needed.
  const auto shift = [&](const Victim& victim, std::int64_t sign) {
    freed(victim, [&](const std::int64_t* amounts) {
      for (std::uint32_t d = 0; d < nodes.dims; ++d) room[d] += sign * amounts[d];
    });
  };
  for (auto i = victims.size(); i-- > 0;) {
    shift(victims[i], -1);
    if (nodes.fits(need, room.data()))
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
    else
      shift(victims[i], +1);
  }
}

}  // namespace argosy::scheduling::engine
