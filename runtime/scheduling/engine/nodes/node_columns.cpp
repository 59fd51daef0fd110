// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/node_columns.hpp"

#include <absl/container/inlined_vector.h>

#include <bit>
#include <limits>

namespace argosy::scheduling::engine {

namespace {

std::vector<std::pair<std::uint32_t, std::int64_t>> index_columns(const tables& t,
                                                                  const config& conf) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> columns;
  for (const auto& entry : conf.indexed_resources) {
    const auto at = std::find(t.dim_names.begin(), t.dim_names.end(), entry.name);
    columns.emplace_back(static_cast<std::uint32_t>(at - t.dim_names.begin()),
                         conf.exact_index ? 1 : entry.resolution);
  }
  return columns;
}

/// What is free on the node if everything that is bound counts.
absl::InlinedVector<std::int64_t, 8> unbound(const node_columns& nodes, std::uint32_t node) {
  const auto* total = nodes.total(node);
  absl::InlinedVector<std::int64_t, 8> left(total, total + nodes.dims);
  nodes.visit_bound(node, [&](std::uint32_t upto, const std::int64_t* amounts) {
    for (std::uint32_t d = 0; d < nodes.dims && upto != 0; ++d) left[d] -= amounts[d];
  });
  return left;
}

/// Whether jobs of other pools run on the node of the snapshot.
bool has_others(const node_columns& nodes, const node_record& node) {
  const auto& borders = nodes.borders;
  return borders.mixed() && std::any_of(node.jobs.begin(), node.jobs.end(), [&](std::uint32_t job) {
           return nodes.t.jobs[job].run_pool != borders.pool();
         });
}

/// Takes what nobody uses of the node off the total.
void take_off(const node_columns& nodes, std::uint32_t node, std::vector<std::int64_t>& total) {
  const auto left = unbound(nodes, node);
  for (std::uint32_t d = 0; d < nodes.dims; ++d) total[d] -= std::max<std::int64_t>(0, left[d]);
}

}  // namespace

node_columns::node_columns(const tables& tables_in, const config& conf_in,
                           const round_params& params, std::uint32_t pool)
    : t(tables_in),
      conf(conf_in),
      dims(tables_in.node_dims),
      rows(tables_in, conf_in),
      borders(tables_in, conf_in, pool),
      indexed(index_columns(tables_in, conf_in)),
      least_(conf_in.base == preset::current ? std::numeric_limits<std::int64_t>::min() : 0),
      numbers_(tables_in.nodes.size(), none),
      pool_total_(tables_in.node_dims, 0) {
  std::vector<std::uint8_t> silent(t.executors.size(), 0);
  for (const auto& name : params.closed_executors)
    if (const auto number = t.executors.find(name); number != none) silent[number] = 1;
  for (std::uint32_t number = 0; number < t.nodes.size(); ++number) {
    const auto& node = t.nodes[number];
    if (!node.present || !borders.lends(node.pool)) continue;
    if (node.unschedulable && node.jobs.empty()) {
      ++idle_.shut;
      if (node.quarantined) ++idle_.quarantined;
      continue;
    }
    add_node(number, silent[node.executor] != 0);
  }
  whole_total_ = pool_total_;
}

bool node_columns::describe(std::uint32_t slot) const {
  const auto& node = t.nodes[slot];
  if (!node.present || !borders.lends(node.pool)) return true;
  // The total of the pool has what runs on a closed node, and that is no part of the round once
  // nothing does.
  if (node.unschedulable) return false;
  const auto number = number_of(slot);
  const auto& own = facts_[number];
  if (own.barred || own.mixed || has_others(*this, node)) return false;
  const auto left = unbound(*this, number);
  const auto over =
      std::any_of(left.begin(), left.end(), [](std::int64_t amount) { return amount < 0; });
  return over == own.overfull;
}

void node_columns::add_node(std::uint32_t slot, bool silent) {
  const auto number = count();
  const auto as_armada = conf.base == preset::current;
  const auto& node = t.nodes[slot];
  numbers_[slot] = number;
  const auto rank = t.node_rank[slot];
  const auto mixed = has_others(*this, node);
  facts_.push_back(
      {slot, node.kind, conf.exact_index ? rank : slot, rank, false, false, silent, mixed});
  for (std::uint32_t d = 0; d < dims; ++d) {
    const auto at = std::size_t{slot} * dims + d;
    const auto left = std::max<std::int64_t>(0, t.node_total[at] - t.node_held[at]);
    totals_.push_back(std::min(left, pool_limit - pool_total_[d]));
  }
  auto* own = totals_.data() + std::size_t{number} * dims;
  if (const auto held = held_by_others(number); !held.empty())
    for (std::uint32_t d = 0; d < dims; ++d) own[d] = std::max<std::int64_t>(0, own[d] - held[d]);
  if (mixed)
    for (const auto job : node.jobs)
      if (t.jobs[job].run_pool != borders.pool() && !borders.is_stranger(t.jobs[job]))
        guests_.push_back(job);
  const auto left = unbound(*this, number);
  const auto over =
      std::any_of(left.begin(), left.end(), [](std::int64_t amount) { return amount < 0; });
  facts_.back().overfull = over;
  facts_.back().shut = node.unschedulable || (as_armada && over);
  for (std::uint32_t d = 0; d < dims; ++d) pool_total_[d] += own[d];
  if (!as_armada && is_closed(*this, number)) take_off(*this, number, pool_total_);
}

void node_columns::leave_out(const std::vector<std::uint32_t>& nodes) {
  pool_total_ = whole_total_;
  for (const auto node : nodes) take_off(*this, node, pool_total_);
}

std::vector<std::int64_t> largest_indexed(const node_columns& nodes) {
  std::vector<std::int64_t> largest(nodes.indexed.size(), 0);
  for (std::size_t i = 0; i < largest.size(); ++i)
    for (std::uint32_t node = 0; node < nodes.count(); ++node)
      largest[i] = std::max(largest[i], nodes.total(node)[nodes.indexed[i].first]);
  return largest;
}

std::vector<std::uint8_t> bits_of(const std::vector<std::int64_t>& largest, unsigned most) {
  std::vector<std::uint8_t> widths;
  unsigned sum = 0;
  for (const auto amount : largest) {
    widths.push_back(static_cast<std::uint8_t>(std::bit_width(static_cast<std::uint64_t>(amount))));
    sum += widths.back();
  }
  if (sum > most) widths.clear();
  return widths;
}

std::vector<std::int64_t> node_columns::held_by_others(std::uint32_t node) const {
  std::vector<std::int64_t> held;
  if (!facts_[node].mixed) return held;
  for (const auto job : record(node).jobs) {
    if (!borders.is_stranger(t.jobs[job])) continue;
    held.resize(dims, 0);
    for (std::uint32_t d = 0; d < dims; ++d) held[d] += t.amounts(t.jobs[job].shape)[d];
  }
  return held;
}

std::vector<std::uint32_t> banned_resources(const node_columns& nodes) {
  const auto& t = nodes.t;
  std::vector<std::uint32_t> out;
  for (const auto& name : nodes.conf.unscheduled_resources) {
    const auto at = std::find(t.dim_names.begin(), t.dim_names.begin() + t.node_dims, name);
    if (at != t.dim_names.begin() + t.node_dims)
      out.push_back(static_cast<std::uint32_t>(at - t.dim_names.begin()));
  }
  return out;
}

}  // namespace argosy::scheduling::engine
