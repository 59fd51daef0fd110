// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/row_set.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

row_set::row_set(const tables& t, const config& conf) {
  auto& rows = priorities_;
  rows = {evicted_priority, cross_pool_priority};
  for (const auto& entry : conf.classes) {
    rows.push_back(entry.priority);
    for (const auto& away : entry.away) rows.push_back(away.priority);
  }
  if (!conf.explicit_victims()) {
    std::sort(rows.begin() + 2, rows.end());
    rows.erase(std::unique(rows.begin() + 2, rows.end()), rows.end());
    return;
  }
  // Every priority at which a job runs must be a row, or the job would not be seen.
  for (const auto& [cutoff, nodes] : t.cutoff_nodes)
    if (cutoff != every_row) rows.push_back(cutoff);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

std::uint32_t row_set::of(std::int32_t priority) const {
  for (std::uint32_t r = 0; r < priorities_.size(); ++r)
    if (priorities_[r] == priority) return r;
  return none;
}

}  // namespace argosy::scheduling::engine
