// SPDX-License-Identifier: Apache-2.0
// Upper bounds of what any node has free in a row, by which a search that would find nothing is not
// made. They grow with the room of nodes, and are measured anew once they have misled often.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/scheduling/engine/nodes/node_columns.hpp"

namespace argosy::scheduling::engine {

class row_maxima {
 public:
  explicit row_maxima(const node_columns& nodes) : nodes_(nodes), rows_(nodes.rows.count()) {}

  /// Whether it is known that no node of any kind has that much in the row. False says nothing.
  /// `free(node)` gives the room of a node in the row.
  template <class Free>
  [[nodiscard]] bool exclude(const std::int64_t* need, std::uint32_t row, Free&& free) {
    auto& known = rows_[row];
    if (known.amounts.empty()) measure(known, free);
    if (nodes_.fits(need, known.amounts.data())) return false;
    // A walk that could get stuck must be made.
    for (const auto& [d, step] : nodes_.indexed)
      if (step > 1 && need[d] == 0) return false;
    return true;
  }
  /// A search in the row found nothing although it was not excluded.
  template <class Free>
  void misled(std::uint32_t row, Free&& free) {
    auto& known = rows_[row];
    if (known.amounts.empty() || ++known.misses < 16 + nodes_.count() / 16) return;
    measure(known, free);
  }
  /// A node has that much in the row now.
  void raise(std::uint32_t row, const std::int64_t* room) {
    auto& amounts = rows_[row].amounts;
    for (std::size_t d = 0; d < amounts.size(); ++d) amounts[d] = std::max(amounts[d], room[d]);
  }

 private:
  struct maximum {
    std::vector<std::int64_t> amounts;  ///< Empty until somebody asks.
    std::uint32_t misses = 0;
  };
  template <class Free>
  void measure(maximum& into, Free&& free) {
    into.misses = 0;
    into.amounts.assign(nodes_.dims, std::numeric_limits<std::int64_t>::min());
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      const auto* room = free(node);
      for (std::uint32_t d = 0; d < nodes_.dims; ++d)
        into.amounts[d] = std::max(into.amounts[d], room[d]);
    }
  }

  const node_columns& nodes_;
  std::vector<maximum> rows_;
};

}  // namespace argosy::scheduling::engine
