// SPDX-License-Identifier: Apache-2.0
// What is free on the nodes of a pool, in every row. Whoever changes it says so node by node, and
// each change is noted in a log, so that results that others remember can be brought up to date,
// also in later rounds. `bindings` knows which job is where, and takes changes back.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/amount_units.hpp"
#include "runtime/scheduling/engine/nodes/changes.hpp"
#include "runtime/scheduling/engine/nodes/node_columns.hpp"
#include "runtime/scheduling/engine/nodes/row_maxima.hpp"

namespace argosy::scheduling::engine {

class room {
 public:
  /// Begins with what the running and the stopping jobs leave.
  explicit room(const node_columns& nodes);
  /// Measures the node again: other jobs run there, or what a round did there is over.
  void measure(std::uint32_t node);
  /// New shapes may be taken and given from now on.
  void grow() { units_.grow(); }
  room(const room&) = delete;
  room& operator=(const room&) = delete;

  [[nodiscard]] const std::int64_t* free(std::uint32_t node, std::uint32_t row) const {
    return free_.data() + (std::size_t{node} * rows_ + row) * nodes_.dims;
  }
  [[nodiscard]] bool fits(const std::int64_t* need, std::uint32_t node, std::uint32_t row) const {
    return nodes_.fits(need, free(node, row));
  }

  /// Whether it is known that no node of any kind has that much in the row. False says nothing.
  [[nodiscard]] bool hopeless(const std::int64_t* need, std::uint32_t row) {
    return maxima_.exclude(need, row, [&](std::uint32_t node) { return free(node, row); });
  }
  /// Call this when a search in the row found nothing although it was not hopeless.
  void found_nothing(std::uint32_t row) {
    maxima_.misled(row, [&](std::uint32_t node) { return free(node, row); });
  }

  /// A job of the shape takes its room on the node in the rows from `first` up to before `last`, or
  /// gives it back.
  void take(std::uint32_t node, std::uint32_t first, std::uint32_t last, std::uint32_t shape);
  void give(std::uint32_t node, std::uint32_t first, std::uint32_t last, std::uint32_t shape);
  /// Notes that the node is not as it was.
  void note(std::uint32_t node) { changes_.note(node); }
  /// Notes that room grew on the node, in the lowest row or in the others.
  void note_growth(std::uint32_t node, bool lowest);
  /// undo() forgets that room grew since begin(), also where undoing gave it back. Hence it comes
  /// after that of all others.
  void begin() { changes_.begin_trial(); }
  void undo() { changes_.undo_trial(); }

  /// The log of changes, brought up to date.
  const change_log& changes() {
    changes_.refresh();
    return changes_;
  }
  /// The log of changes as it was at the last call of changes().
  [[nodiscard]] const change_log& known_changes() const { return changes_; }
  /// The position of the latest change.
  [[nodiscard]] std::uint64_t now() const { return changes_.now(); }
  /// The position of the last change by which room grew on the node, in the lowest row or in any
  /// other.
  [[nodiscard]] std::uint64_t raised(std::uint32_t node, std::uint32_t row) const {
    return row == 0 ? raised_lowest_[node] : raised_above_[node];
  }
  /// Whether rounding to the resolutions of the index has kept all different amounts apart so far.
  [[nodiscard]] bool kept_apart() const { return units_.kept_apart(); }

 private:
  void fill(std::uint32_t node);
  [[nodiscard]] std::int64_t* at(std::uint32_t node, std::uint32_t row) {
    return free_.data() + (std::size_t{node} * rows_ + row) * nodes_.dims;
  }

  const node_columns& nodes_;
  std::size_t rows_;
  std::vector<std::int64_t> free_;  ///< By node, row and resource.
  row_maxima maxima_;
  amount_units units_;
  change_log changes_;
  std::vector<std::uint64_t> raised_lowest_;
  std::vector<std::uint64_t> raised_above_;
};

}  // namespace argosy::scheduling::engine
