// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/between/closed_nodes.hpp"

namespace argosy::scheduling {

using kind = model::carried_entry::kind;

void closed_nodes::see(const std::string& node, node_openness how) {
  if (of(node) == how) return;
  changed_.insert(node);
  if (how == node_openness::open)
    closed_.erase(node);
  else
    closed_[node] = how;
}

node_openness closed_nodes::of(const std::string& node) const {
  const auto found = closed_.find(node);
  return found == closed_.end() ? node_openness::open : found->second;
}

std::vector<model::carried_entry> closed_nodes::take_changes(std::size_t count_max) {
  std::vector<model::carried_entry> out;
  while (!changed_.empty() && out.size() < count_max) {
    auto node = changed_.extract(changed_.begin());
    model::carried_entry entry{kind::closed_node, {}, std::move(node.value())};
    entry.level = static_cast<double>(of(entry.name));
    entry.gone = entry.level == 0;
    out.push_back(std::move(entry));
  }
  return out;
}

void closed_nodes::restore(const model::carried_entry& entry) {
  if (entry.what != kind::closed_node) return;
  if (entry.gone)
    changed_.insert(entry.name);
  else
    closed_[entry.name] = entry.level == 2 ? node_openness::quarantined : node_openness::closed;
}

}  // namespace argosy::scheduling
