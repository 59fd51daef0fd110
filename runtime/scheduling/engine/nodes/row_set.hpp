// SPDX-License-Identifier: Apache-2.0
// The priorities at which room is counted in a round, ascending. What is free on a node is known
// for each of them, and such a list of amounts is a row. It does not change in a round.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling::engine {

/// The priorities of the two rows below all others: the room when evicted jobs leave, and the room
/// when jobs of other pools leave.
inline constexpr std::int32_t evicted_priority = -2;
inline constexpr std::int32_t cross_pool_priority = -1;

class row_set {
 public:
  row_set(const tables& t, const config& conf);

  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(priorities_.size());
  }
  /// The priority of a row.
  [[nodiscard]] std::int32_t operator[](std::uint32_t row) const { return priorities_[row]; }
  [[nodiscard]] std::int32_t lowest() const { return priorities_.front(); }
  [[nodiscard]] std::int32_t highest() const { return priorities_.back(); }
  /// The number of rows at or below a priority.
  [[nodiscard]] std::uint32_t upto(std::int32_t priority) const {
    std::uint32_t rows = 0;
    while (rows < priorities_.size() && priorities_[rows] <= priority) ++rows;
    return rows;
  }
  /// The row of exactly this priority; `none` if there is none.
  [[nodiscard]] std::uint32_t of(std::int32_t priority) const;

  friend bool operator==(const row_set&, const row_set&) = default;

 private:
  std::vector<std::int32_t> priorities_;
};

}  // namespace argosy::scheduling::engine
