// SPDX-License-Identifier: Apache-2.0
// How much any victim of urgency can leave to a node at most, from which follows how many must
// leave at least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/scheduling/engine/nodes/newcomers.hpp"
#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class victim_sizes {
 public:
  victim_sizes(const world& w, const books& sums) : world_(w), books_(sums) {}

  /// Takes in the running jobs, once, and the newcomers since the last call.
  void follow(const newcomers& placed);
  /// How many have to leave the node for so much; nothing if not even all can be enough.
  [[nodiscard]] std::optional<std::size_t> least_victims(const std::int64_t* need,
                                                         std::uint32_t node) const;

 private:
  void count(std::uint32_t shape);

  const world& world_;
  const books& books_;
  std::vector<std::int64_t> largest_;  ///< By resource; empty until it is needed.
  std::size_t newcomers_seen_ = 0;
};

}  // namespace argosy::scheduling::engine
