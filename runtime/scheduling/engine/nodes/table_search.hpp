// SPDX-License-Identifier: Apache-2.0
// Fair-share preemption as in Armada: the table of evicted jobs is walked from the last number
// down, adding up node by node what would become free. A query asked again keeps, for each node,
// the number at which the job would fit, in a tree of maxima.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/returning_table.hpp"
#include "runtime/scheduling/engine/nodes/room.hpp"

namespace argosy::scheduling::engine {

class table_search {
 public:
  table_search(const node_columns& nodes, room& free, returning_table& returning, matching& terms);
  /// Another round begins, with another table.
  void begin_round();

  /// The node on which a job of the shape fits first when evicted jobs of at most this priority
  /// leave from the highest number down; `none` if there is none. The jobs that leave go to
  /// `crowd`. `query` is the number of the matcher with the shape.
  [[nodiscard]] std::uint32_t first(std::uint32_t query, std::uint32_t matcher, std::uint32_t shape,
                                    std::int32_t priority, std::vector<std::uint32_t>& crowd);
  /// Whether an invalid affinity rule was met, so that the round fails.
  [[nodiscard]] bool stuck() const { return stuck_; }

 private:
  /// The job that looks for a node: its matcher, what it needs, and the highest priority at which
  /// others leave for it.
  struct question {
    std::uint32_t matcher;
    const std::int64_t* need;
    std::int32_t priority;
  };
  struct cache {
    std::int32_t priority = 0;
    std::uint64_t position = 0;
    std::uint32_t uses = 0;
    std::uint32_t leaves = 0;
    std::vector<std::uint32_t> tree;  ///< The highest number + 1 below each vertex.
  };

  [[nodiscard]] std::uint32_t trigger(const question& q, std::uint32_t node);
  [[nodiscard]] cache& cache_of(std::uint32_t query, std::int32_t priority);
  [[nodiscard]] bool walk(const question& q, std::uint32_t& number);
  [[nodiscard]] std::uint32_t best_trigger(const question& q, cache& c);
  void collect(std::uint32_t number, std::int32_t priority, std::vector<std::uint32_t>& crowd);

  const node_columns& nodes_;
  room& room_;
  returning_table& table_;
  matching& matching_;
  std::vector<std::vector<cache>> caches_;  ///< By query, one for each priority.
  std::size_t cached_ = 0;
  /// The last walk that came to each node. Walks are counted over all rounds.
  std::vector<std::uint64_t> stamps_;
  std::uint64_t stamp_ = 0;
  std::vector<std::int64_t> left_;  ///< The room on each node, used in one walk.
  bool stuck_ = false;
};

}  // namespace argosy::scheduling::engine
