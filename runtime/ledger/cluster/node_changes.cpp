// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/cluster/node_changes.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/model/amounts.hpp"
#include "runtime/model/served_namespaces.hpp"

namespace argosy::ledger {

namespace {

/// The number of nodes in one event, so that the log can divide a large change into records.
constexpr std::size_t nodes_per_event = 64;
constexpr std::size_t bytes_per_event = 1024 * 1024;

std::size_t bytes_of(const std::string& name) {
  return name.size();
}

/// The approximate size of a node. It counts the texts, which an agent may make as long as it
/// likes.
std::size_t bytes_of(const model::node_info& node) {
  auto out = node.name.size();
  for (const auto* list : {&node.total, &node.allocatable})
    for (const auto& [resource, amount] : *list) out += resource.size() + sizeof(amount);
  for (const auto& [name, value] : node.labels) out += name.size() + value.size();
  for (const auto& taint : node.taints)
    out += taint.key.size() + taint.value.size() + taint.effect.size();
  return out;
}

/// The items of `all` that go into the next event, at least one. Moves `at` behind them.
template <class T>
std::vector<T> take_part(const std::vector<T>& all, std::size_t& at) {
  std::vector<T> out;
  for (std::size_t bytes = 0; at < all.size() && out.size() < nodes_per_event; ++at) {
    bytes += bytes_of(all[at]);
    if (!out.empty() && bytes > bytes_per_event) break;
    out.push_back(all[at]);
  }
  return out;
}

}  // namespace

result<void> check_nodes(const std::vector<model::node_info>& nodes) {
  std::set<std::string_view> names;
  for (const auto& node : nodes) {
    if (node.name.empty() || node.name.size() > model::name_size_max ||
        node.name.str().find('/') != std::string::npos)
      return fail(ec::invalid_argument,
                  "node '" + node.name + "': a name has 1 to 253 characters and no '/'");
    if (!names.insert(node.name).second)
      return fail(ec::invalid_argument, "node '" + node.name + "' is listed twice");
    for (const auto* list : {&node.total, &node.allocatable})
      for (const auto& [resource, amount] : *list)
        if (amount < 0)
          return fail(ec::invalid_argument,
                      "node '" + node.name + "': the amount of " + resource + " is negative");
  }
  return {};
}

node_changes compare_nodes(const node_map& known, const std::vector<model::node_info>& set,
                           const std::vector<model::node_name>& removed, bool all_told) {
  node_changes out;
  for (const auto& node : set) {
    const auto found = known.find(node.name);
    const bool same = found != known.end() && found->second == node;
    if (!same) out.fresh.push_back(node);
    if (!same || all_told) out.told.push_back(node);
  }
  for (const auto& name : removed)
    if (known.contains(name)) out.gone.push_back(name);
  return out;
}

std::vector<model::nodes_changed> divide_nodes(const model::cluster_name& cluster,
                                               const std::vector<model::node_info>& fresh,
                                               const std::vector<model::node_name>& gone) {
  std::vector<model::nodes_changed> out;
  for (std::size_t at_fresh = 0, at_gone = 0; at_fresh < fresh.size() || at_gone < gone.size();) {
    auto set = take_part(fresh, at_fresh);
    out.push_back({cluster, std::move(set), take_part(gone, at_gone)});
  }
  return out;
}

model::node_info with_namespaces(model::node_info node, const std::string& value) {
  std::erase_if(node.taints, [](const auto& spot) { return spot.key == model::namespaces_taint; });
  if (!value.empty())
    node.taints.push_back({std::string{model::namespaces_taint}, value, "NoSchedule"});
  return node;
}

bool others_would_do(const node_map& nodes, const model::start_run& start) {
  // It comes back a few times at most, so that one of these is left.
  constexpr std::ptrdiff_t others_min = 4;
  const auto at = nodes.find(start.node);
  if (at == nodes.end()) return false;
  const auto& own = at->second.taints;
  const auto suits = [&](const auto& item) {
    const auto& node = item.second;
    return item.first != start.node && !node.unschedulable &&
           std::ranges::all_of(start.requests,
                               [&](const auto& need) {
                                 return model::amount_of(node.allocatable, need.first) >=
                                        need.second;
                               }) &&
           std::ranges::all_of(node.taints, [&](const auto& spot) {
             return std::ranges::find(own, spot) != own.end();
           });
  };
  return std::ranges::count_if(nodes, suits) >= others_min;
}

}  // namespace argosy::ledger
