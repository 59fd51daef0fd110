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
  idle_islands(const node_columns& nodes, matching& terms);
  idle_islands(const idle_islands&) = delete;
  idle_islands& operator=(const idle_islands&) = delete;

  /// Finds these nodes for a round. Jobs are looked at only until each node has one that could use
  /// it, and of jobs of one shape only the first.
  [[nodiscard]] std::vector<std::uint32_t> find();

 private:
  /// Open nodes of one profile, and the least and the most that one of them has.
  struct group {
    std::uint32_t profile = 0;
    std::vector<std::uint32_t> nodes;
    std::vector<std::int64_t> least;
    std::vector<std::int64_t> most;
  };
  /// Those that nobody could use so far.
  struct unused_nodes {
    const group* all = nullptr;
    group rest;  ///< Without nodes as long as it is all of them.
    bool none_left = false;

    [[nodiscard]] const group& now() const { return rest.nodes.empty() ? *all : rest; }
  };
  enum looked : std::uint8_t { at_home = 1, away = 2 };

  void measure(group& g) const;
  // These look at the jobs of a queue until no node is left.
  void look_at_queued(const queue_record& queue);
  void look_at_running(const queue_record& queue);
  void look_at(std::uint32_t shape, bool in_gang);
  /// `wanted` says where such a job may run, by the flags of `looked`.
  void look_at_shape(std::uint32_t shape, int wanted);
  void use(std::uint32_t shape, const added_terms& added);
  /// Takes out the nodes that the matcher admits and that are large enough.
  void use_nodes(unused_nodes& from, std::uint32_t shape, std::uint32_t matcher);

  const node_columns& nodes_;
  const tables& t_;
  matching& matching_;
  std::vector<group> groups_;
  std::vector<unused_nodes> unused_;
  std::vector<std::uint8_t> looked_;   ///< For each shape, where it was tried.
  std::vector<std::uint32_t> banned_;  ///< The numbers of config::unscheduled_resources.
};

}  // namespace argosy::scheduling::engine
