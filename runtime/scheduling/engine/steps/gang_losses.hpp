// SPDX-License-Identifier: Apache-2.0
// What evicted gangs would lose: a member that leaves for balance takes all evicted members of its
// gang with it. A gang is spared if that is more than what a queue is owed would justify.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <vector>

#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

/// What falls with any evicted member of a gang.
struct gang_loss {
  std::uint32_t jobs = 0;             ///< How many members fall.
  std::uint32_t lowest = 0;           ///< The lowest of the levels at which they are bound.
  std::uint32_t highest = 0;          ///< The highest of these.
  std::uint32_t rank = 0;             ///< How many different costs of gangs are below its own.
  std::vector<std::int64_t> amounts;  ///< What they hold together.
};

class gang_losses {
 public:
  /// Counts an evicted member, which is bound at a level.
  void add(std::uint32_t gang, std::uint32_t level, const std::int64_t* amounts,
           std::uint32_t dims);
  /// Ends the counting. Gangs of which only one member is evicted lose no more than a single job
  /// does, and are not known from here on. `cost` gives the cost of amounts.
  void close(absl::FunctionRef<double(const std::int64_t*)> cost);

  /// Whether no gang has anything to lose.
  [[nodiscard]] bool empty() const { return gangs_.empty(); }
  /// What a gang would lose; null for a gang, or for `none`, of which at most one job falls.
  [[nodiscard]] const gang_loss* of(std::uint32_t gang) const;

  /// From now on gangs that would lose more than this cost are spared.
  void allow(double most);
  /// How many of the different costs are allowed. What is spared depends on this number alone.
  [[nodiscard]] std::uint32_t allowed() const { return allowed_; }
  [[nodiscard]] bool spares(const gang_loss& gang) const { return gang.rank >= allowed_; }
  [[nodiscard]] bool spares_any() const { return allowed_ < costs_.size(); }

 private:
  absl::flat_hash_map<std::uint32_t, gang_loss> gangs_;
  std::vector<double> costs_;  ///< The different costs, ascending.
  std::uint32_t allowed_ = 0;
};

}  // namespace argosy::scheduling::engine
