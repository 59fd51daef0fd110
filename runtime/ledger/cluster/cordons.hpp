// SPDX-License-Identifier: Apache-2.0
// The cordons of one cluster say that operators want no new work there: on the whole of it, or on
// single nodes. What runs there goes on. Pure.
#pragma once

#include <map>
#include <string>

#include "runtime/ledger/change.hpp"

namespace argosy::ledger {

class cordons {
 public:
  /// Restores what the stored view has.
  void restore(const put_cordon& known);

  /// Changes the state by one event about this cluster, and notes what the store has to write.
  void apply(const model::cordon_changed& what, std::int64_t time_ns, change_list& changes);
  /// Forgets the cordons of single nodes.
  void drop_nodes(const model::cluster_name& cluster, change_list& changes);

  /// The cordon of the node, or of the whole cluster for an empty name; null if there is none.
  [[nodiscard]] const model::cordon* find(const model::node_name& node) const;
  /// The cordon that holds for the node: its own, or that of the whole cluster.
  [[nodiscard]] const model::cordon* holds_for(const model::node_name& node) const;
  /// The node as rounds shall see it.
  [[nodiscard]] model::node_info seen(model::node_info node) const;
  [[nodiscard]] bool empty() const noexcept { return of_.empty(); }
  /// The cordons by node; that of the whole cluster has the empty name.
  [[nodiscard]] const std::map<model::node_name, model::cordon>& all() const noexcept {
    return of_;
  }

 private:
  std::map<model::node_name, model::cordon>
      of_;  ///< By node; the whole cluster has the empty name.
};

/// Says of the cordon, as a clause: "cordoned by alice: the fan is broken".
[[nodiscard]] std::string to_text(const model::cordon& what);

}  // namespace argosy::ledger
