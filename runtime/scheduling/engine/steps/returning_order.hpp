// SPDX-License-Identifier: Apache-2.0
// How well entitled the evicted jobs are to their places: their line, in which whoever stands later
// is less entitled, the levels of priority in it, and what falls with each gang.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/heads.hpp"
#include "runtime/scheduling/engine/steps/evictor.hpp"
#include "runtime/scheduling/engine/steps/gang_losses.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

/// The levels are the different priorities in the table, where the highest comes first. They are
/// numbered from the lowest one.
class returning_order {
 public:
  /// Without levels, as for victims that are taken from the end of the table.
  returning_order() = default;
  /// Puts the line in the order of its levels and counts what falls with gangs.
  returning_order(const tables& t, const books& sums, std::vector<table_entry>& line);

  [[nodiscard]] std::size_t levels() const { return priorities_.size(); }
  [[nodiscard]] std::int32_t priority_of(std::uint32_t level) const { return priorities_[level]; }
  /// The level of the job at that place of the table.
  [[nodiscard]] std::uint32_t level_of_place(std::uint32_t place) const {
    std::uint32_t level = 0;
    while (place < begins_[level]) ++level;
    return level;
  }
  /// What falls with gangs. Which of them are spared depends on whose turn it is.
  [[nodiscard]] gang_losses& losses() { return losses_; }
  [[nodiscard]] const gang_losses& losses() const { return losses_; }

 private:
  std::vector<std::int32_t> priorities_;  ///< Ascending.
  std::vector<std::uint32_t> begins_;     ///< The first place of each in the table.
  gang_losses losses_;
};

/// Lines up the evicted jobs, of which there are `jobs`, in the order in which they would return if
/// there were room for all. A gang that lacks a member is not among them.
[[nodiscard]] std::vector<table_entry> line_up(const world& w, const books& sums,
                                               const evictions& evicted, std::size_t jobs,
                                               heads& admission);

}  // namespace argosy::scheduling::engine
