// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/cluster/cordons.hpp"

#include <utility>

#include "runtime/base/planted.hpp"

namespace argosy::ledger {

void cordons::restore(const put_cordon& known) {
  if (is_planted(planted_fault::forgets_cordons)) return;
  of_[known.node] = known.cordon;
}

void cordons::apply(const model::cordon_changed& what, std::int64_t time_ns, change_list& changes) {
  if (what.on) {
    const model::cordon next{what.by, what.reason, time_ns};
    of_[what.node] = next;
    changes.emplace_back(put_cordon{what.cluster, what.node, next});
  } else if (of_.erase(what.node) > 0) {
    changes.emplace_back(erase_cordon{what.cluster, what.node});
  }
}

void cordons::drop_nodes(const model::cluster_name& cluster, change_list& changes) {
  std::erase_if(of_, [&](const auto& item) {
    if (item.first.empty()) return false;
    changes.emplace_back(erase_cordon{cluster, item.first});
    return true;
  });
}

const model::cordon* cordons::find(const model::node_name& node) const {
  const auto found = of_.find(node);
  return found == of_.end() ? nullptr : &found->second;
}

const model::cordon* cordons::holds_for(const model::node_name& node) const {
  const auto* own = find(node);
  return own != nullptr ? own : find({});
}

model::node_info cordons::seen(model::node_info node) const {
  node.unschedulable = node.unschedulable || holds_for(node.name) != nullptr;
  return node;
}

std::string to_text(const model::cordon& what) {
  auto out = "cordoned by " + what.by;
  return what.reason.empty() ? out : out + ": " + what.reason;
}

}  // namespace argosy::ledger
