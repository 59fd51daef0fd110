// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/node_probe.hpp"

#include <algorithm>
#include <utility>

#include "runtime/model/quantity.hpp"

namespace argosy::probes {

namespace {

/// Returns how much of a resource is free on the node, at least 0.
std::int64_t free_of(const node_amounts& node, const std::string& resource, std::int64_t offered) {
  for (const auto& [name, amount] : node.used)
    if (name == resource)
      return std::max<std::int64_t>(
          std::max<std::int64_t>(offered, 0) - std::max<std::int64_t>(amount, 0), 0);
  return std::max<std::int64_t>(offered, 0);
}

}  // namespace

bool node_amounts::in_use() const noexcept {
  return std::any_of(used.begin(), used.end(), [](const auto& item) { return item.second > 0; });
}

void node_probe::add(const std::string& cluster, const std::string& pool,
                     const node_amounts& node) {
  count(cluster, pool, node, 1);
}

void node_probe::remove(const std::string& cluster, const std::string& pool,
                        const node_amounts& node) {
  count(cluster, pool, node, -1);
}

void node_probe::count(const std::string& cluster, const std::string& pool,
                       const node_amounts& node, int sign) {
  const std::lock_guard lock{mutex_};
  auto& here = sums_[{cluster, pool}];
  here.states[static_cast<std::size_t>(node.state)] += sign;
  const auto entry = [&](const std::string& resource) -> auto& {
    auto& out = here.resources[resource];
    out.nodes += static_cast<std::uint64_t>(sign);
    return out;
  };
  const bool in_use = node.in_use();
  for (const auto& [resource, amount] : node.offered) {
    auto& sum = entry(resource);
    sum.offered += wide{amount} * sign;
    if (!node.takes_jobs) continue;
    const auto free = wide{free_of(node, resource, amount)} * sign;
    sum.ready += wide{amount} * sign;
    sum.free += free;
    if (in_use) sum.broken += free;
  }
  for (const auto& [resource, amount] : node.used) entry(resource).used += wide{amount} * sign;
  std::erase_if(here.resources, [](const auto& item) { return item.second.nodes == 0; });
  if (node.state == ledger::node_state::quarantined)
    if (const auto at = quarantined_nodes_.try_emplace({cluster, node.name, pool}).first;
        (at->second += sign) == 0)
      quarantined_nodes_.erase(at);
  if (here.resources.empty() && here.states == decltype(here.states){})
    sums_.erase({cluster, pool});
}

std::map<node_probe::place, node_probe::place_sums> node_probe::shown_places() const {
  std::map<place, place_sums> shown;
  const std::lock_guard lock{mutex_};
  for (const auto& [where, here] : sums_) {
    const bool own = shown.size() < clusters_max;
    auto& into = shown[own ? where : place{"others", where.second}];
    for (std::size_t i = 0; i < here.states.size(); ++i) into.states[i] += here.states[i];
    for (const auto& [resource, more] : here.resources) {
      auto& sum = into.resources[resource];
      sum.offered += more.offered;
      sum.ready += more.ready;
      sum.used += more.used;
      sum.free += more.free;
      sum.broken += more.broken;
    }
  }
  return shown;
}

void node_probe::collect(metrics::family_list& out) const {
  auto capacity = metrics::gauge_family(
      "argosy_capacity", "What the nodes of a cluster offer to jobs: cores, bytes or pieces.");
  auto usable = metrics::gauge_family("argosy_capacity_ready",
                                      "What those of the nodes offer that take new jobs.");
  auto used = metrics::gauge_family(
      "argosy_allocated",
      "What the runs on the nodes of a cluster request: cores, bytes or pieces.");
  auto nodes = metrics::gauge_family("argosy_cluster_nodes", "Nodes by cluster, pool and state.");
  const auto shown = shown_places();
  for (const auto& [where, here] : shown) {
    for (const auto& [resource, sum] : here.resources) {
      const metrics::label_list labels{
          {"cluster", where.first}, {"pool", where.second}, {"resource", resource}};
      const auto unit = model::base_units(resource);
      capacity.samples.push_back({labels, static_cast<double>(sum.offered) * unit});
      usable.samples.push_back({labels, static_cast<double>(sum.ready) * unit});
      used.samples.push_back({labels, static_cast<double>(sum.used) * unit});
    }
    for (std::size_t i = 0; i < here.states.size(); ++i)
      if (here.states[i] != 0)
        nodes.samples.push_back(
            {{{"cluster", where.first},
              {"pool", where.second},
              {"state", std::string{to_string(static_cast<ledger::node_state>(i))}}},
             static_cast<double>(here.states[i])});
  }
  for (auto* item : {&capacity, &usable, &used, &nodes}) out.push_back(std::move(*item));
  show_quarantined(out);
  show_fragments(shown, out);
}

void node_probe::show_quarantined(metrics::family_list& out) const {
  auto named = metrics::gauge_family(
      "argosy_node_quarantined",
      "1 for each node that gets no jobs, since runs fail there; of many, 200.");
  const std::lock_guard lock{mutex_};
  for (const auto& [node, shares] : quarantined_nodes_) {
    if (named.samples.size() == named_max) break;
    named.samples.push_back({{{"cluster", node[0]}, {"node", node[1]}, {"pool", node[2]}}, 1});
  }
  out.push_back(std::move(named));
}

/// A large job fits best on nodes where nothing runs, so that what is free elsewhere is of less
/// use.
void node_probe::show_fragments(const std::map<place, place_sums>& shown,
                                metrics::family_list& out) {
  auto fragments = metrics::gauge_family(
      "argosy_fragmentation_ratio",
      "The part of what is free in a pool that lies on nodes on which something "
      "runs; 0: all of it is on empty nodes.");
  std::map<place, sums> by_pool;
  for (const auto& [where, here] : shown)
    for (const auto& [resource, sum] : here.resources) {
      auto& into = by_pool[{where.second, resource}];
      into.free += sum.free;
      into.broken += sum.broken;
    }
  for (const auto& [what, sum] : by_pool)
    if (sum.free > 0)
      fragments.samples.push_back(
          {{{"pool", what.first}, {"resource", what.second}},
           static_cast<double>(sum.broken) / static_cast<double>(sum.free)});
  out.push_back(std::move(fragments));
}

node_share::~node_share() {
  if (counted_) whole_->remove(cluster_, pool_, shown_);
}

void node_share::show(const ledger::node_core& core) {
  const auto at = static_cast<std::size_t>(core.state());
  for (std::size_t i = 0; i < by_state_.size(); ++i) by_state_[i].set(i == at ? 1 : 0);
  node_amounts now;
  now.name = core.info().name;
  if (core.state() != ledger::node_state::gone) now.offered = core.info().allocatable;
  now.used = core.used();
  now.takes_jobs = core.state() == ledger::node_state::ready;
  now.state = core.state();
  if (counted_ && now == shown_ && cluster_ == core.cluster() && pool_ == core.pool()) return;
  if (counted_) whole_->remove(cluster_, pool_, shown_);
  counted_ = true;
  cluster_ = core.cluster();
  pool_ = core.pool();
  shown_ = std::move(now);
  whole_->add(cluster_, pool_, shown_);
}

}  // namespace argosy::probes
