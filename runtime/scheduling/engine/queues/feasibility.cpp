// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/feasibility.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

namespace {

/// How many nodes, or evicted jobs, are looked at before the search is asked.
constexpr std::uint32_t quick_looks = 8;
/// How many places of the table are passed on the way, those that are struck out with them.
constexpr std::uint32_t quick_steps = 32;

}  // namespace

feasibility::feasibility(world& w)
    : world_(w),
      nodes_(w.nodes),
      room_(w.free),
      best_(w.nodes, w.free, w.bound, w.table),
      banned_(banned_resources(w.nodes)),
      jobs_(w.nodes.t.shapes.size()) {}

bool feasibility::has_free_node(std::uint32_t shape) const {
  const auto node = jobs_[shape].free_node;
  return node != none && room_.fits(nodes_.t.amounts(shape), node, 0);
}

bool feasibility::has_leaver(std::uint32_t shape, const turn_rank& own) const {
  const auto place = jobs_[shape].place;
  if (place >= world_.table.end()) return false;
  const auto& entry = world_.table[place];
  return best_.may_leave(entry.key, own) && best_.after(entry, nodes_.t.amounts(shape));
}

bool feasibility::of_job(std::uint32_t shape, std::uint32_t cut) {
  auto& refused = jobs_[shape].refused;
  if (stands(refused, cut)) return false;
  const auto good =
      any_way(shape, false, [&](const way& how) { return has_node(shape, how, {}, cut); });
  if (!good) refused = {room_.known_changes().growths(), cut};
  return good;
}

template <class Visit>
bool feasibility::any_way(std::uint32_t shape, bool in_gang, Visit&& visit) const {
  const auto* need = nodes_.t.amounts(shape);
  for (const auto dimension : banned_)
    if (need[dimension] != 0) return false;
  const auto& conf = nodes_.conf;
  const auto& own = conf.classes[nodes_.t.shapes[shape].class_index];
  if (visit(way{own.priority, 0})) return true;
  if (conf.disable_away || (in_gang && conf.disable_gang_away)) return false;
  for (std::uint32_t i = 0; i < own.away.size() && i < away_types_max; ++i)
    if (visit(way{own.away[i].priority, 1u << i})) return true;
  return false;
}

bool feasibility::has_node(std::uint32_t shape, const way& how, const pin& common,
                           std::uint32_t cut) {
  const auto row = nodes_.rows.of(how.priority);
  if (room_.hopeless(nodes_.t.amounts(shape), row)) return false;
  auto added = added_for(nodes_.t, shape, how.away_mask, common);
  const auto terms = nodes_.t.shapes[shape].terms;
  auto matcher = world_.terms.find(terms, added);
  if (!common.confines() && find_free(matcher, shape)) return true;
  const auto stakes = best_.at_stake();
  auto query = world_.search.query(matcher, shape);
  const bool tries = nodes_.t.terms[terms].tries;
  // This search is repeated when the job has its turn, and costs little then.
  if ((!stakes || tries) && world_.search.first_fit(query, 0) != none) return true;
  if (!stakes && !best_.urgency_takes()) return false;
  if (tries) {
    added.to_preempt = true;
    matcher = world_.terms.find(terms, added);
    query = world_.search.query(matcher, shape);
  }
  // One that still may leave is found sooner than all the room that there is.
  if (stakes && find_leaver(matcher, shape, how.priority, cut)) return true;
  if (!world_.search.any_fit(query, row)) {
    if (!common.confines()) room_.found_nothing(row);
    return false;
  }
  // Without evicted jobs the row of the priority is what there is at best.
  if (!stakes) return true;
  if (query >= queries_.size()) queries_.resize(query + 1);
  return find_node(queries_[query], matcher, shape, how.priority, cut);
}

bool feasibility::find_free(std::uint32_t matcher, std::uint32_t shape) {
  const auto* need = nodes_.t.amounts(shape);
  // Best fit fills the first of equal nodes first, so that the last ones have room longest.
  auto& known = jobs_[shape];
  const auto good = [&](std::uint32_t node) {
    return room_.fits(need, node, 0) && world_.terms.suits(matcher, node);
  };
  if (known.free_node != none && good(known.free_node)) return true;
  const auto looks = std::min(quick_looks, nodes_.count());
  for (std::uint32_t look = 0; look < looks; ++look) {
    if (known.looked_from == 0) known.looked_from = nodes_.count();
    if (!good(--known.looked_from)) continue;
    known.free_node = known.looked_from;
    return true;
  }
  return false;
}

bool feasibility::find_leaver(std::uint32_t matcher, std::uint32_t shape, std::int32_t priority,
                              std::uint32_t cut) {
  const auto* need = nodes_.t.amounts(shape);
  auto& known = jobs_[shape].place;
  const auto good = [&](std::uint32_t place) {
    const auto& entry = world_.table[place];
    return entry.key >= cut && entry.priority <= priority && best_.after(entry, need) &&
           world_.terms.suits(matcher, entry.node);
  };
  // The last ones leave first.
  auto place = std::min(known, world_.table.end());
  if (place < world_.table.end() && good(place)) return true;
  const auto last = place - std::min(place, quick_steps);
  for (std::uint32_t look = 0; look < quick_looks && place > last;) {
    --place;
    if (!world_.table[place].alive) continue;
    ++look;
    if (!good(place)) continue;
    known = place;
    return true;
  }
  return false;
}

bool feasibility::find_node(query_note& known, std::uint32_t matcher, std::uint32_t shape,
                            std::int32_t priority, std::uint32_t cut) {
  const auto* need = nodes_.t.amounts(shape);
  const auto row = nodes_.rows.of(priority);
  const auto good_for = [&](std::uint32_t node, std::uint32_t turn) {
    return room_.fits(need, node, row) && world_.terms.suits(matcher, node) &&
           nodes_.fits(need, best_.at(node, priority, turn));
  };
  const auto good = [&](std::uint32_t node) {
    if (!good_for(node, cut)) return false;
    known.node = node;
    known.refused = false;
    return true;
  };
  const auto& changes = room_.changes();
  if (known.refused && known.cut <= cut) {
    bool any = false;
    bool later = false;  // A node would do for the earlier turn, but not for this one.
    changes.visit(change_log::everything, known.position, [&](std::uint32_t node) {
      const auto grown = std::max(room_.raised(node, 0), room_.raised(node, row));
      if (grown <= known.position || !good_for(node, known.cut)) return true;
      any = good(node);
      later = later || !any;
      return !any;
    });
    if (later) known.cut = cut;
    known.position = changes.filed();
    return any;
  }
  // The nodes that were good before are full now, so that the search goes on behind them.
  const auto count = nodes_.count();
  const auto from = known.node == none ? 0 : known.node;
  for (std::uint32_t i = 0; i < count; ++i)
    if (good(from + i < count ? from + i : from + i - count)) return true;
  known.refused = true;
  known.cut = cut;
  known.position = changes.filed();
  return false;
}

bool feasibility::of_gang(const gang& g, std::uint32_t cut) {
  why_not_ = list_pins(g, nodes_, world_.terms, false, pins_);
  if (pins_.empty()) return false;
  const auto& common = pins_.front();
  const auto by_cluster = static_cast<std::uint32_t>(common.executor != none);
  key_ = {common.label, by_cluster,
          static_cast<std::uint32_t>(least_members(g, nodes_.t, nodes_.conf))};
  for (const auto& o : g.offers) {
    if (key_.size() > first_run && key_[key_.size() - 2] == o.shape)
      ++key_.back();
    else
      key_.insert(key_.end(), {o.shape, 1});
  }
  const auto known = gangs_.find(key_);
  if (known != gangs_.end() && stands(known->second, cut)) return false;
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    const auto at = (last_pin_ + i) % pins_.size();
    if (!of_gang_under(pins_[at], cut)) continue;
    if (pins_.size() > 1) last_pin_ = at;
    return true;
  }
  gangs_[key_] = {room_.known_changes().growths(), cut};
  return false;
}

bool feasibility::of_gang_under(const pin& common, std::uint32_t cut) {
  std::vector<std::uint32_t> unable;
  if (common.confines()) {
    // Few nodes are counted sooner than searched.
    sum_needs(unable);
    if (!sums_fit(common, cut)) return false;
  }
  std::uint32_t able = 0;
  std::uint32_t members = 0;
  for (auto run = first_run; run < key_.size(); run += 2) {
    const auto shape = key_[run];
    members += key_[run + 1];
    if (any_way(shape, true, [&](const way& how) { return has_node(shape, how, common, cut); }))
      able += key_[run + 1];
    else
      unable.push_back(shape);
  }
  const auto must = key_[first_run - 1];
  if (able < must) return false;
  if (members == 1 || (common.confines() && unable.empty())) return true;
  sum_needs(unable);
  return sums_fit(common, cut);
}

void feasibility::sum_needs(const std::vector<std::uint32_t>& unable) {
  const auto must = key_[first_run - 1];
  absl::InlinedVector<std::pair<std::int64_t, std::uint32_t>, 16> amounts;
  need_.assign(nodes_.dims, 0);
  for (std::uint32_t d = 0; d < nodes_.dims; ++d) {
    amounts.clear();
    for (auto run = first_run; run < key_.size(); run += 2)
      if (std::find(unable.begin(), unable.end(), key_[run]) == unable.end())
        amounts.emplace_back(nodes_.t.amounts(key_[run])[d], key_[run + 1]);
    std::sort(amounts.begin(), amounts.end());
    auto left = must;
    for (const auto& [amount, members] : amounts) {
      const auto taken = std::min(left, members);
      need_[d] += amount * taken;
      left -= taken;
    }
  }
}

bool feasibility::sums_fit(const pin& common, std::uint32_t cut) {
  room_sum asked;
  asked.priority = evicted_priority;
  asked.cut = cut;
  asked.position = room_.now();
  asked.room.assign(nodes_.dims, 0);
  for (auto run = first_run; run < key_.size(); run += 2) {
    const auto shape = key_[run];
    (void)any_way(shape, true, [&](const way& how) {
      asked.priority = std::max(asked.priority, how.priority);
      const auto matcher = world_.terms.find(nodes_.t.shapes[shape].terms,
                                             added_for(nodes_.t, shape, how.away_mask, common));
      if (std::find(asked.matchers.begin(), asked.matchers.end(), matcher) == asked.matchers.end())
        asked.matchers.push_back(matcher);
      return false;
    });
  }
  if (common.confines()) {
    count_pinned(asked);
    return covers(asked);
  }
  if (sum_.matchers != asked.matchers || sum_.priority != asked.priority || sum_.cut != asked.cut ||
      sum_.position != asked.position) {
    // Nodes in front are full before others are, so that the last walk's end is the place to begin.
    asked.next = sum_.next;
    sum_ = std::move(asked);
  }
  // As much is added up as it takes, and other gangs go on from there.
  for (; sum_.counted < nodes_.count() && !covers(sum_); ++sum_.counted) {
    if (sum_.next >= nodes_.count()) sum_.next = 0;
    count_node(sum_, sum_.next++);
  }
  return covers(sum_);
}

void feasibility::count_node(room_sum& sum, std::uint32_t node) {
  if (std::none_of(sum.matchers.begin(), sum.matchers.end(),
                   [&](auto matcher) { return world_.terms.suits(matcher, node); }))
    return;
  const auto* room = best_.at(node, sum.priority, sum.cut);
  for (std::uint32_t d = 0; d < nodes_.dims; ++d) sum.room[d] += std::max<std::int64_t>(0, room[d]);
}

void feasibility::count_pinned(room_sum& sum) {
  if (sum.matchers.empty()) return;
  const auto& first = world_.terms.get(sum.matchers.front());
  if (first.only != nullptr) {
    for (const auto node : *first.only) count_node(sum, node);
    return;
  }
  if (of_kind_.empty()) {
    of_kind_.resize(nodes_.t.kinds.size());
    for (std::uint32_t node = 0; node < nodes_.count(); ++node)
      of_kind_[nodes_.kind(node)].push_back(node);
  }
  absl::InlinedVector<std::uint32_t, 8> kinds;
  for (const auto matcher : sum.matchers)
    for (const auto kind : world_.terms.get(matcher).kinds)
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  for (const auto kind : kinds)
    for (const auto node : of_kind_[kind]) {
      if (covers(sum)) return;
      count_node(sum, node);
    }
}

}  // namespace argosy::scheduling::engine
