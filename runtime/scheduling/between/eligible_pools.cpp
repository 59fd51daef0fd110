// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/between/eligible_pools.hpp"

#include <algorithm>
#include <utility>

#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

/// What tells kinds of nodes from each other.
std::string kind_key(const tables& t, std::uint32_t node) {
  const auto bytes_of = [](const auto& value) {
    return std::string_view{reinterpret_cast<const char*>(&value), sizeof value};
  };
  std::string key{bytes_of(t.nodes[node].profile)};
  for (std::uint32_t d = 0; d < t.node_dims; ++d)
    key += bytes_of(t.node_total[std::size_t{node} * t.node_dims + d]);
  return key;
}

bool names_node(const tables& t, shape_id shape) {
  return t.terms[t.shapes[shape].terms].names_node;
}

}  // namespace

eligible_pools::eligible_pools(config_ptr common, std::map<std::string, config_ptr> by_pool)
    : common_(std::move(common)), by_pool_(std::move(by_pool)) {}

void eligible_pools::configure(config_ptr common, std::map<std::string, config_ptr> by_pool) {
  common_ = std::move(common);
  by_pool_ = std::move(by_pool);
  forget();
}

void eligible_pools::forget() {
  anew_ = true;
}

const eligible_pools::config_ptr& eligible_pools::config_of(const std::string& pool) const {
  const auto own = by_pool_.find(pool);
  return own == by_pool_.end() ? common_ : own->second;
}

void eligible_pools::leave_group(std::uint32_t node) {
  const auto [pool, kind, place] = std::exchange(members_[node], {});
  if (pool == none) return;
  auto& alike = kind->second;
  members_[alike.back()].place = place;
  alike[place] = alike.back();
  alike.pop_back();
  members_[node] = {};
  if (!alike.empty()) return;
  const auto group = groups_.find(pool);
  group->second.erase(group->second.find(kind->first));
  if (group->second.empty()) groups_.erase(group);
}

void eligible_pools::regroup(const snapshot& of, std::uint32_t node,
                             std::map<std::uint32_t, news>& out) {
  const auto& t = of.data();
  if (members_.size() <= node) members_.resize(std::size_t{node} + 1);
  const auto& record = t.nodes[node];
  const auto pool = record.present ? record.pool : none;
  const auto key = record.present ? kind_key(t, node) : std::string{};
  const auto& member = members_[node];
  if (member.pool == pool && (pool == none || member.kind->first == key)) return;
  if (member.pool != none) out[member.pool].gone.push_back(node);
  leave_group(node);
  if (pool == none) return;
  auto& kind = *groups_[pool].try_emplace(key).first;
  auto& told = out[pool];
  if (kind.second.empty()) told.of_new_kind.push_back(node);
  told.came.push_back(node);
  members_[node] = {pool, &kind, static_cast<std::uint32_t>(kind.second.size())};
  kind.second.push_back(node);
}

bool eligible_pools::list_pools(const snapshot& of) {
  const auto& t = of.data();
  std::set<std::string> names;
  for (const auto& [pool, group] : groups_) names.insert(t.pools.name(pool));
  for (const auto& [pool, own] : by_pool_)
    if (!own->away_pools.empty()) names.insert(pool);
  if (std::ranges::equal(names, pools_, {}, {}, [](const auto& each) { return each.first; }))
    return false;
  pools_.clear();
  for (const auto& name : names) {
    auto& pool = pools_[name];
    pool.conf = config_of(name);
    const auto add = [&](const std::string& from) {
      if (const auto number = t.pools.find(from); number != none) pool.sources.push_back(number);
    };
    add(name);
    for (const auto& lender : pool.conf->away_pools) add(lender);
  }
  return true;
}

std::uint32_t eligible_pools::find_taker(const snapshot& of, const std::string& name,
                                         const one_pool& pool, shape_id shape) const {
  const bool each = names_node(of.data(), shape);
  std::vector<std::uint32_t> nodes;
  for (const auto source : pool.sources) {
    const auto group = groups_.find(source);
    if (group == groups_.end()) continue;
    for (const auto& [kind, alike] : group->second) {
      if (each)
        nodes.insert(nodes.end(), alike.begin(), alike.end());
      else
        nodes.push_back(alike.front());
    }
  }
  return pool_capacity::first_that_takes(of, *pool.conf, name, shape, nodes);
}

void eligible_pools::set_taker(one_pool& pool, shape_id shape, std::uint32_t node) {
  pool.taker[shape] = node;
  if (node == none)
    pool.untaken.push_back(shape);
  else
    pool.stands_for[node].push_back(shape);
}

void eligible_pools::look_again(const snapshot& of, const std::string& name, one_pool& pool,
                                const news& what, std::set<shape_id>& changed) const {
  for (const auto node : what.gone) {
    const auto found = pool.stands_for.find(node);
    if (found == pool.stands_for.end()) continue;
    const auto shapes = std::move(found->second);
    pool.stands_for.erase(found);
    for (const auto shape : shapes) {
      const auto next = find_taker(of, name, pool, shape);
      set_taker(pool, shape, next);
      if (next == none) changed.insert(shape);
    }
  }
  if (what.came.empty()) return;
  for (const auto shape : std::exchange(pool.untaken, {})) {
    const auto& nodes = names_node(of.data(), shape) ? what.came : what.of_new_kind;
    const auto taker = pool_capacity::first_that_takes(of, *pool.conf, name, shape, nodes);
    set_taker(pool, shape, taker);
    if (taker != none) changed.insert(shape);
  }
}

std::uint16_t eligible_pools::set_of(snapshot& of, shape_id shape) const {
  std::vector<std::string> names;
  for (const auto& [name, pool] : pools_)
    if (pool.taker[shape] != none) names.push_back(name);
  if (names.size() == pools_.size()) return 0;
  if (names.empty()) names.emplace_back(no_pool);
  return pool_set(of, names);
}

void eligible_pools::learn_shapes(snapshot& of) {
  const auto count = of.data().shapes.size();
  for (auto shape = static_cast<shape_id>(sets_.size()); shape < count; ++shape) {
    for (auto& [name, pool] : pools_) {
      pool.taker.push_back(none);
      set_taker(pool, shape, find_taker(of, name, pool, shape));
    }
    sets_.push_back(set_of(of, shape));
  }
}

std::uint16_t eligible_pools::pools_of(snapshot& of, shape_id shape) {
  if (anew_) return 0;
  learn_shapes(of);
  return sets_[shape];
}

bool eligible_pools::is_taken(shape_id shape) const {
  if (anew_ || shape >= sets_.size() || pools_.empty()) return true;
  return std::ranges::any_of(pools_,
                             [&](const auto& each) { return each.second.taker[shape] != none; });
}

std::vector<shape_id> eligible_pools::settle(snapshot& of) {
  const auto nodes = of.data().nodes.size();
  std::map<std::uint32_t, news> what;
  const bool all = std::exchange(anew_, false);
  if (all) {
    groups_.clear();
    members_.clear();
    for (std::uint32_t node = 0; node < nodes; ++node) regroup(of, node, what);
    pools_.clear();
    seen_.clear();
  }
  for (const auto node : std::exchange(seen_, {})) regroup(of, node, what);
  const bool other_pools = list_pools(of);
  if (all || !what.empty()) ++version_;
  std::vector<shape_id> out;
  if (all || other_pools) {
    const auto before = std::exchange(sets_, {});
    learn_shapes(of);
    for (shape_id shape = 0; shape < sets_.size(); ++shape)
      if (all || shape >= before.size() || before[shape] != sets_[shape]) out.push_back(shape);
    return out;
  }
  std::set<shape_id> changed;
  learn_shapes(of);
  for (const auto& [source, found] : what)
    for (auto& [name, pool] : pools_)
      if (std::ranges::find(pool.sources, source) != pool.sources.end())
        look_again(of, name, pool, found, changed);
  for (const auto shape : changed)
    if (const auto set = set_of(of, shape); std::exchange(sets_[shape], set) != set)
      out.push_back(shape);
  return out;
}

}  // namespace argosy::scheduling
