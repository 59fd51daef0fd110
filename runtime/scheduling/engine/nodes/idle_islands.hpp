// SPDX-License-Identifier: Apache-2.0
// The open nodes that no competing job could use, whatever ends there: their taints or labels admit
// none, or all that they admit are larger than they are. Competing are the jobs that run in the
// pool, and those that wait for it in a queue that is not cordoned.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/matching.hpp"

namespace argosy::scheduling::engine {

class idle_islands {
 public:
  idle_islands(const node_columns& nodes, matching& terms, std::uint32_t pool);

  /// Finds these nodes. Jobs are looked at only until each node has one that could use it, and of
  /// jobs of one shape only the first.
  [[nodiscard]] std::vector<std::uint32_t> find();

 private:
  /// The nodes of one profile that nobody could use so far, and the least and the most that one of
  /// them has.
  struct group {
    std::uint32_t profile = 0;
    std::vector<std::uint32_t> nodes;
    std::vector<std::int64_t> least;
    std::vector<std::int64_t> most;
  };
  enum looked : std::uint8_t { at_home = 1, away = 2 };

  void measure(group& g) const;
  /// Looks at the jobs of a list until no group is left.
  template <class Entries, class Counts>
  void look_at(const Entries& entries, Counts&& counts);
  /// `wanted` says where such a job may run, by the flags of `looked`.
  void look_at_shape(std::uint32_t shape, int wanted);
  void use(std::uint32_t shape, const added_terms& added);
  /// Takes the nodes out of the group that the matcher admits and that are large enough.
  void use_group(group& g, std::uint32_t shape, std::uint32_t matcher);

  const node_columns& nodes_;
  const tables& t_;
  matching& matching_;
  std::uint32_t pool_;
  std::vector<group> groups_;
  std::vector<std::uint8_t> looked_;   ///< For each shape, where it was tried.
  std::vector<std::uint32_t> banned_;  ///< The numbers of config::unscheduled_resources.
};

/// Takes what nobody uses of such nodes off the total of the pool. Armada counts them.
void leave_out_islands(node_columns& nodes, matching& terms, std::uint32_t pool);

}  // namespace argosy::scheduling::engine
