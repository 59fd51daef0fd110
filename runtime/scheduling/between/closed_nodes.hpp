// SPDX-License-Identifier: Apache-2.0
// This file declares the record of the nodes that rounds give no new jobs, which whoever explains a
// past round reads: that a cluster was silent, or a node quarantined, is no event of its own. It is
// pure and owned by whoever runs rounds, who logs what take_changes() returns with each round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::scheduling {

/// How rounds see a node; the values are levels of carried_entry::kind::closed_node.
enum class node_openness : std::uint8_t { open = 0, closed = 1, quarantined = 2 };

class closed_nodes {
 public:
  /// The node "cluster/node" is seen like this from now on. One that is gone counts as open.
  void see(const std::string& node, node_openness how);
  [[nodiscard]] node_openness of(const std::string& node) const;

  /// Returns the entries of nodes that are seen differently since they were returned last, but no
  /// more than `count_max`; the others come with the next call.
  [[nodiscard]] std::vector<model::carried_entry> take_changes(std::size_t count_max);
  /// Takes an entry of an earlier owner; entries of other kinds are passed over. One that is gone
  /// is returned once more by take_changes(), since its erasure may not be logged yet.
  void restore(const model::carried_entry& entry);

 private:
  std::map<std::string, node_openness> closed_;
  std::set<std::string> changed_;
};

}  // namespace argosy::scheduling
