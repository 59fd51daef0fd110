// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/space.hpp"

#include <algorithm>
#include <new>
#include <numeric>

namespace argosy::scheduling::engine {

namespace {

bool is_one_of(std::uint32_t number, const std::vector<std::uint32_t>& list) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

}  // namespace

space::space(const tables& tables_in, const config& conf_in, const round_params& params,
             std::uint32_t pool)
    : t(tables_in), conf(conf_in), dims(tables_in.node_dims) {
  // Most jobs of a deep queue are never looked at closely, and pages that are never touched cost
  // nothing.
  const auto count = std::max<std::size_t>(1, t.jobs.size());
  states_.reset(static_cast<job_state*>(std::calloc(count, sizeof(job_state))));
  if (!states_) throw std::bad_alloc();
  for (const auto& entry : conf.indexed_resources) {
    const auto at = std::find(t.dim_names.begin(), t.dim_names.end(), entry.name);
    indexed.emplace_back(static_cast<std::uint32_t>(at - t.dim_names.begin()),
                         conf.exact_index ? 1 : entry.resolution);
  }
  if (conf.base == preset::current) least_ = std::numeric_limits<std::int64_t>::min();
  name_pools(pool);
  add_rows();
  add_nodes(params);
  maxima_.resize(rows.size());
  raised_lowest_.assign(slots.size(), 0);
  raised_above_.assign(slots.size(), 0);
  std::vector<std::uint32_t> profiles;
  profiles.reserve(slots.size());
  for (const auto slot : slots) profiles.push_back(t.nodes[slot].profile);
  changes_.open(kind, static_cast<std::uint32_t>(t.kinds.size()), profiles,
                static_cast<std::uint32_t>(t.profiles.size()));
  measure_units();
  place_start_.assign(slots.size(), 0);
  place_end_.assign(slots.size(), 0);
}

void space::add_rows() {
  rows = {evicted_priority, cross_pool_priority};
  for (const auto& entry : conf.classes) {
    rows.push_back(entry.priority);
    for (const auto& away : entry.away) rows.push_back(away.priority);
  }
  if (!conf.explicit_victims()) {
    std::sort(rows.begin() + 2, rows.end());
    rows.erase(std::unique(rows.begin() + 2, rows.end()), rows.end());
    return;
  }
  // Every priority at which a job runs must be a row, or the job would not be seen.
  for (const auto& node : t.nodes)
    for (const auto cutoff : node.cutoffs)
      if (cutoff != every_row) rows.push_back(cutoff);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

void space::add_nodes(const round_params& params) {
  dense.assign(t.nodes.size(), none);
  pool_total.assign(dims, 0);
  const auto as_armada = conf.base == preset::current;
  std::vector<std::uint8_t> silent(t.executors.size(), 0);
  for (const auto& name : params.closed_executors)
    if (const auto number = t.executors.find(name); number != none) silent[number] = 1;
  const auto count = t.nodes.size();
  free_.reserve(count * rows.size() * dims);
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const auto& node = t.nodes[slot];
    if (!node.present || !is_one_of(node.pool, lending_)) continue;
    if (node.unschedulable && node.jobs.empty()) {
      ++idle_shut;
      if (node.quarantined) ++idle_quarantined;
      continue;
    }
    const auto number = node_count();
    dense[slot] = number;
    slots.push_back(slot);
    for (std::uint32_t d = 0; d < dims; ++d) {
      const auto at = std::size_t{slot} * dims + d;
      const auto left = std::max<std::int64_t>(0, t.node_total[at] - t.node_held[at]);
      total.push_back(std::min(left, pool_limit - pool_total[d]));
    }
    kind.push_back(node.kind);
    id_order.push_back(t.node_rank[slot]);
    order.push_back(conf.exact_index ? t.node_rank[slot] : slot);
    barred.push_back(silent[node.executor]);
    free_.resize(free_.size() + rows.size() * dims);
    fill_rows(number, slot);
    shut.push_back(node.unschedulable || (as_armada && overfull.back() != 0));
    for (std::uint32_t d = 0; d < dims; ++d) pool_total[d] += total[total.size() - dims + d];
    take_stopping(number);
    if (!as_armada && is_closed(*this, number)) leave_out(*this, number);
  }
}

std::vector<std::uint32_t> banned_resources(const space& nodes) {
  const auto& t = nodes.t;
  std::vector<std::uint32_t> out;
  for (const auto& name : nodes.conf.unscheduled_resources) {
    const auto at = std::find(t.dim_names.begin(), t.dim_names.begin() + t.node_dims, name);
    if (at != t.dim_names.begin() + t.node_dims)
      out.push_back(static_cast<std::uint32_t>(at - t.dim_names.begin()));
  }
  return out;
}

void leave_out(space& nodes, std::uint32_t node) {
  const auto* stopping = nodes.held_by_stopping(node);
  for (std::uint32_t d = 0; d < nodes.dims; ++d) {
    const auto unbound = nodes.free(node, 0)[d] + (stopping == nullptr ? 0 : stopping[d]);
    nodes.pool_total[d] -= std::max<std::int64_t>(0, unbound);
  }
}

void space::fill_rows(std::uint32_t number, std::uint32_t slot) {
  const auto& node = t.nodes[slot];
  if (mixed_ && std::any_of(node.jobs.begin(), node.jobs.end(),
                            [&](std::uint32_t job) { return t.jobs[job].run_pool != pool_; }))
    return fill_mixed_rows(number, slot);
  auto* base = free_.data() + std::size_t{number} * rows.size() * dims;
  const auto* all = total.data() + std::size_t{number} * dims;
  for (std::uint32_t r = 0; r < row_count(); ++r) std::copy_n(all, dims, base + r * dims);
  for (std::size_t i = 0; i < node.cutoffs.size(); ++i) {
    const auto upto = node.cutoffs[i] == every_row ? row_count() : rows_upto(node.cutoffs[i]);
    const auto* sum = node.bound.data() + i * dims;
    for (std::uint32_t r = 0; r < upto; ++r)
      for (std::uint32_t d = 0; d < dims; ++d) base[r * dims + d] -= sum[d];
  }
  // The lowest row counts everything that is bound.
  std::uint8_t over = 0;
  for (std::uint32_t d = 0; d < dims; ++d) over |= base[d] < 0 ? 1 : 0;
  overfull.push_back(over);
}

void space::take_stopping(std::uint32_t node) {
  if (const auto* need = held_by_stopping(node)) shift(node, 0, row_count(), need, -1);
}

std::uint32_t space::rows_upto(std::int32_t priority) const {
  std::uint32_t count = 0;
  while (count < rows.size() && rows[count] <= priority) ++count;
  return count;
}

std::uint32_t space::row_of(std::int32_t priority) const {
  for (std::uint32_t r = 0; r < rows.size(); ++r)
    if (rows[r] == priority) return r;
  return none;
}

void space::measure_units() {
  const auto rounds = [](const auto& column) { return column.second > 1; };
  if (std::none_of(indexed.begin(), indexed.end(), rounds)) return;
  units_.assign(indexed.size(), 0);
  seen_.assign(t.shapes.size(), 0);
  for (std::uint32_t node = 0; kept_apart_ && node < node_count(); ++node)
    for (std::uint32_t r = 0; r < row_count(); ++r) narrow_units(free(node, r));
}

void space::narrow_units(const std::int64_t* amounts) {
  // Different multiples of a unit never round to the same amount if the unit is at least the
  // resolution.
  for (std::size_t i = 0; i < indexed.size(); ++i) {
    const auto [d, step] = indexed[i];
    auto& unit = units_[i];
    if (step == 1 || (unit != 0 && amounts[d] % unit == 0)) continue;
    unit = std::gcd(unit, amounts[d]);
    kept_apart_ = kept_apart_ && (unit == 0 || unit >= step);
  }
}

void space::protect(std::uint32_t job, std::uint32_t shape) {
  if (protected_.empty()) protected_.assign(t.jobs.size(), 0);
  const auto upto = cutoff_rows(job, shape, bound_priority(job));
  protected_[job] = 1;
  see(shape);
  if (is_bound(job)) shift(node_of(job), upto, row_count(), t.amounts(shape), -1);
}

std::uint32_t space::cutoff_rows(std::uint32_t job, std::uint32_t shape,
                                 std::int32_t priority) const {
  return immovable(job, shape) ? row_count() : rows_upto(priority);
}

void space::shift(std::uint32_t node, std::uint32_t first, std::uint32_t last,
                  const std::int64_t* need, std::int64_t sign) {
  auto* room = free_.data() + (std::size_t{node} * rows.size() + first) * dims;
  for (auto r = first; r < last; ++r, room += dims) {
    for (std::uint32_t d = 0; d < dims; ++d) room[d] += sign * need[d];
    if (sign < 0 || maxima_[r].amounts.empty()) continue;
    for (std::uint32_t d = 0; d < dims; ++d)
      maxima_[r].amounts[d] = std::max(maxima_[r].amounts[d], room[d]);
  }
}

void space::measure(row_maximum& maximum, std::uint32_t row) {
  maximum.misses = 0;
  maximum.amounts.assign(dims, std::numeric_limits<std::int64_t>::min());
  for (std::uint32_t node = 0; node < node_count(); ++node) {
    const auto* room = free(node, row);
    for (std::uint32_t d = 0; d < dims; ++d)
      maximum.amounts[d] = std::max(maximum.amounts[d], room[d]);
  }
}

bool space::hopeless(const std::int64_t* need, std::uint32_t row) {
  auto& maximum = maxima_[row];
  if (maximum.amounts.empty()) measure(maximum, row);
  if (fits(need, maximum.amounts.data())) return false;
  // A walk that could get stuck must be made.
  for (const auto& [d, step] : indexed)
    if (step > 1 && need[d] == 0) return false;
  return true;
}

void space::found_nothing(std::uint32_t row) {
  auto& maximum = maxima_[row];
  if (maximum.amounts.empty() || ++maximum.misses < 16 + node_count() / 16) return;
  measure(maximum, row);
}

void space::raise(std::uint32_t node, bool lowest) {
  note(node);
  changes_.note_growth();
  (lowest ? raised_lowest_ : raised_above_)[node] = changes_.now();
}

void space::bind(std::uint32_t job, std::uint32_t shape, std::uint32_t node,
                 std::int32_t priority) {
  const auto* need = t.amounts(shape);
  auto& s = states_[job];
  const auto back = (s.flags & holds_room) != 0;
  record(back ? change::bound_back : change::bound_new, job, shape);
  // A returning job gives up the room that it still held in the lowest row.
  shift(node, back ? 1 : 0, cutoff_rows(job, shape, priority), need, -1);
  note(node);
  see(shape);
  s.priority = priority;
  s.node = node;
  s.flags = static_cast<std::uint8_t>((s.flags & ~holds_room) | touched | bound);
}

void space::evict(std::uint32_t job, std::uint32_t shape, std::uint32_t node,
                  std::int32_t priority) {
  auto& s = states_[job];
  shift(node, 1, cutoff_rows(job, shape, priority), t.amounts(shape), +1);
  raise(node, false);
  see(shape);
  s.priority = priority;
  s.node = node;
  s.flags = static_cast<std::uint8_t>((s.flags & ~bound) | touched | holds_room | evicted);
}

void space::drop_evicted(std::uint32_t job, std::uint32_t shape) {
  auto& s = states_[job];
  record(change::dropped, job, shape);
  see(shape);
  shift(s.node, 0, 1, t.amounts(shape), +1);
  raise(s.node, true);
  s.flags = static_cast<std::uint8_t>((s.flags & ~holds_room) | pushed_out);
}

void space::drop_bound(std::uint32_t job, std::uint32_t shape) {
  auto& s = states_[job];
  if ((s.flags & touched) == 0) {
    s.priority = bound_priority(job);
    s.node = node_of(job);
    s.flags |= touched | bound;
  }
  record(change::removed, job, shape);
  see(shape);
  shift(s.node, 0, cutoff_rows(job, shape, s.priority), t.amounts(shape), +1);
  raise(s.node, true);
  raise(s.node, false);
  s.flags = static_cast<std::uint8_t>((s.flags & ~bound) | pushed_out | evicted);
}

void space::undo_one(const undo& step) {
  auto& s = states_[step.job];
  const auto* need = t.amounts(step.shape);
  const auto node = s.node;
  switch (step.what) {
    case change::bound_new:
    case change::bound_back:
      shift(node, step.what == change::bound_back ? 1 : 0,
            cutoff_rows(step.job, step.shape, s.priority), need, +1);
      break;
    case change::dropped:
      shift(node, 0, 1, need, -1);
      break;
    case change::removed:
      shift(node, 0, cutoff_rows(step.job, step.shape, s.priority), need, -1);
      break;
    case change::struck:
      table_[s.number - 1].alive = 1;
      raise(table_[s.number - 1].node, true);
      return;
  }
  raise(node, true);
  raise(node, false);
  const auto at_now = s.priority;
  s = step.before;
  if (conf.isolated_trials) return;
  s.priority = at_now;
  s.flags |= touched;
}

void space::rollback() {
  recording_ = false;
  for (auto step = journal_.rbegin(); step != journal_.rend(); ++step) undo_one(*step);
  journal_.clear();
  changes_.undo_trial();
}

void space::enter(std::vector<table_entry> entries) {
  for (const auto& entry : table_) states_[entry.job].number = 0;
  table_ = std::move(entries);
  std::fill(place_end_.begin(), place_end_.end(), 0);
  for (const auto& entry : table_) ++place_end_[entry.node];
  std::uint32_t start = 0;
  for (std::uint32_t node = 0; node < node_count(); ++node) {
    place_start_[node] = start;
    start += place_end_[node];
    place_end_[node] = place_start_[node];
  }
  places_.resize(table_.size());
  table_end_ = static_cast<std::uint32_t>(table_.size());
  for (std::uint32_t number = 0; number < table_.size(); ++number) {
    auto& entry = table_[number];
    entry.alive = 1;
    places_[place_end_[entry.node]++] = number;
    states_[entry.job].number = number + 1;
  }
}

bool space::strike(std::uint32_t job) {
  const auto number = states_[job].number;
  if (number == 0 || !table_[number - 1].alive) return false;
  record(change::struck, job, table_[number - 1].shape);
  table_[number - 1].alive = 0;
  note(table_[number - 1].node);
  return true;
}

void space::trim(std::uint32_t node) {
  if (!journal_.empty()) return;
  auto& end = place_end_[node];
  while (end > place_start_[node] && !table_[places_[end - 1]].alive) --end;
}

}  // namespace argosy::scheduling::engine
