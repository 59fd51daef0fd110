// SPDX-License-Identifier: Apache-2.0
// This file defines how operators cordon a cluster or a node of it, and take that back.
#include <utility>

#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/cluster/node_changes.hpp"

namespace argosy::ledger {

cluster_answer<bool> cluster_core::cordon(const model::cordon_changed& wanted,
                                          std::int64_t now_ns) const {
  cluster_answer<bool> out;
  out.reply = true;
  if (auto leading = check_leading(); !leading) {
    out.reply = fail(std::move(leading.error()));
    return out;
  }
  const auto* known = cordons_.find(wanted.node);
  const bool same =
      wanted.on ? known != nullptr && known->reason == wanted.reason : known == nullptr;
  if (!wanted.on)
    if (auto stopped = stopped_drain(wanted.node, "uncordoned by " + wanted.by, now_ns))
      out.events.push_back(std::move(*stopped));
  // The cordon of a node that has left can still be taken back.
  const bool takes_back = !wanted.on && (!same || !out.events.empty());
  if (!wanted.node.empty() && !nodes_.contains(wanted.node) && !takes_back) {
    out.reply =
        fail(ec::not_found, "cluster '" + info_.name + "' has no node '" + wanted.node + "'");
    return out;
  }
  if (same) return out;
  out.events.push_back({now_ns, {}, wanted});
  auto after = cordons_;
  change_list changes;
  after.apply(wanted, now_ns, changes);
  set_nodes told;
  for (const auto& [name, node] : nodes_)
    if (wanted.node.empty() || wanted.node == name)
      told.nodes.push_back(with_namespaces(after.seen(node), namespaces_value(info_.namespaces)));
  if (!told.nodes.empty()) out.effects.emplace_back(std::move(told));
  return out;
}

}  // namespace argosy::ledger
