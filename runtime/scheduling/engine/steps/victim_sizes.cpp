// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/victim_sizes.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

void victim_sizes::count(std::uint32_t shape) {
  const auto* amounts = world_.nodes.t.amounts(shape);
  for (std::uint32_t d = 0; d < largest_.size(); ++d)
    largest_[d] = std::max(largest_[d], amounts[d]);
}

void victim_sizes::follow(const newcomers& placed) {
  const auto& t = world_.nodes.t;
  if (largest_.empty()) {
    largest_.assign(world_.nodes.dims, 0);
    std::vector<std::uint8_t> seen(t.shapes.size(), 0);
    for (const auto& book : books_.queues)
      for (const auto& e : t.queues[book.slot].running)
        if (std::exchange(seen[e.shape], 1) == 0) count(e.shape);
  }
  newcomers_seen_ = placed.visit_from(newcomers_seen_, [&](std::uint32_t job) {
    // Those of the highest class leave for nobody.
    if (world_.bound.priority(job) < world_.nodes.rows.highest()) count(t.jobs[job].shape);
  });
}

std::optional<std::size_t> victim_sizes::least_victims(const std::int64_t* need,
                                                       std::uint32_t node) const {
  std::size_t most = 0;
  const auto* room = world_.free.free(node, 0);
  for (std::uint32_t d = 0; d < world_.nodes.dims; ++d) {
    if (need[d] <= world_.nodes.usable(room[d])) continue;
    const auto lacking = need[d] - room[d];
    if (largest_[d] == 0) return {};
    most = std::max(most, static_cast<std::size_t>((lacking + largest_[d] - 1) / largest_[d]));
  }
  return most;
}

}  // namespace argosy::scheduling::engine
