// SPDX-License-Identifier: Apache-2.0
// Placing a gang member by member, and choosing a node for one job.
#include <algorithm>

#include "runtime/scheduling/engine/round_engine.hpp"
#include "runtime/scheduling/engine/steps/needed_victims.hpp"

namespace argosy::scheduling::engine {

reason round_engine::place(gang& g) {
  order_members(g, nodes_);
  if (g.offers.front().gang == none)
    return place_once(g, {}) ? reason::placed : reason::gang_does_not_fit;
  const auto if_none = list_pins(g, nodes_, matching_, g.large != g.offers.size(), pins_);
  return place_under(g, pins_, if_none);
}

members_placed round_engine::place_beside(const std::vector<std::uint32_t>& jobs) {
  gang g;
  g.counted = true;
  for (const auto job : jobs) {
    offer o;
    o.job = job;
    o.shape = shape_of(job);
    o.gang = t_.jobs[job].gang;
    o.members = static_cast<std::uint32_t>(jobs.size());
    g.offers.push_back(o);
  }
  order_members(g, nodes_);
  const auto if_none = list_pins(g, nodes_, matching_, g.large != g.offers.size(), pins_);
  bool tried = false;
  members_placed best;
  best.next = g.member(0).job;
  for (const auto& common : pins_) {
    (void)trial(g, common);
    const auto count = g.offers.size() - fit_of(g).left_out;
    undo();
    if (tried && count <= best.count) continue;
    tried = true;
    best.count = count;
    best.next = none;
    for (auto n = g.offers.size(); n-- > 0;)
      if (g.member(n).left_out) best.next = g.member(n).job;
    best.executor = common.executor;
    if (common.label == none) continue;
    const auto& values = matching_.values(common.label);
    const auto at = std::find(values.numbers.begin(), values.numbers.end(), common.value);
    best.value = values.texts[static_cast<std::size_t>(at - values.numbers.begin())];
  }
  best.label_carried = if_none != reason::no_node_has_label;
  return best;
}

bool round_engine::place_once(gang& g, const pin& common) {
  if (trial(g, common)) {
    settle();
    return true;
  }
  undo();
  return false;
}

void round_engine::undo() {
  nodes_.rollback();
  held_.undo();
  totals_.undo();
}

reason round_engine::place_under(gang& g, const std::vector<pin>& pins, reason if_none) {
  gang_fit best;
  const pin* winner = nullptr;
  for (const auto& common : pins) {
    if (trial(g, common)) {
      const auto fit = fit_of(g);
      const auto is_better = winner == nullptr || fit < best;
      if (fit.is_perfect() || (is_better && &common == &pins.back())) {
        settle();
        return reason::placed;
      }
      if (is_better) {
        best = fit;
        winner = &common;
      }
    }
    undo();
    if (search_.stuck()) return reason::gang_does_not_fit;
  }
  if (winner == nullptr) return if_none;
  return place_once(g, *winner) ? reason::placed : reason::gang_does_not_fit;
}

void round_engine::settle() {
  nodes_.commit();
  std::uint64_t fair = 0;
  for (const auto& p : pushed_) {
    const auto queue = books_.of(p.job);
    if (std::find(lightened_.begin(), lightened_.end(), queue) == lightened_.end())
      lightened_.push_back(queue);
    if (p.was_bound) {
      const auto& record = t_.jobs[p.job];
      books_.charge(queue, record.shape, -1, false);
      evicted_.push_back({p.job, record.shape, nodes_.node_of(p.job)});
    }
    causes_.push_back({p.cause, p.preemptor});
    nodes_.state(p.job).cause = static_cast<std::uint32_t>(causes_.size());
    nodes_.state(p.job).flags |= pushed_out;
    fair += p.cause != preemption_cause::urgency;
  }
  books_.preemption_tokens -= static_cast<double>(fair);
  plan_.preemption_tokens_used += fair;
}

bool round_engine::trial(gang& g, const pin& common) {
  nodes_.begin();
  pushed_.clear();
  held_.begin();
  totals_.begin();
  pin_ = common;
  on_trial_ = &g;
  if (!losses_.empty() && !g.returning) {
    const auto queue = books_.of(g.offers.front().job);
    const auto debt = books_.queues[queue].capped - books_.cost(held_.amounts(queue));
    losses_.allow(conf_.gang_loss_factor * std::max(0.0, debt));
  }
  // The number of members that the gang can start without.
  auto spare = g.offers.size() - (g.counted ? 0 : least_members(g, t_, conf_));
  for (std::size_t n = 0; n < g.offers.size(); ++n) {
    auto& o = g.member(n);
    o.roomiest = common.spread && n >= g.large;
    on_turn_ = &o;
    const auto node = choose(o);
    o.left_out = node == none;
    if (o.left_out && spare-- == 0) return false;
    if (o.left_out) continue;
    nodes_.bind(o.job, o.shape, node, o.priority);
    if (rest_.after == o.job) rest_.position = nodes_.now();
    if (o.home != none) {
      nodes_.strike(o.job);
    } else {
      count_held(o.job, o.shape, +1);
      if (newcomers_.is_open()) note_newcomer(node, o);
    }
    for (std::size_t i = 0; i < crowd_.size(); ++i) drop_mates(crowd_[i], o.job);
    crowd_.clear();
  }
  return true;
}

void round_engine::drop_mates(std::uint32_t job, std::uint32_t preemptor) {
  const auto number = t_.jobs[job].gang;
  if (number == none) return;
  for (const auto mate : t_.gangs[number].members) {
    if (!nodes_.strike(mate)) continue;
    nodes_.drop_evicted(mate, shape_of(mate));
    count_held(mate, shape_of(mate), -1);
    pushed_.push_back({mate, preemptor, preemption_cause::gang_mate});
  }
}

std::uint32_t round_engine::choose(offer& o) {
  crowd_.clear();
  if (o.home != none) return choose_home(o);
  const auto* need = t_.amounts(o.shape);
  for (const auto dimension : banned_)
    if (need[dimension] != 0) return none;
  const auto& of = conf_.classes[t_.shapes[o.shape].class_index];
  const auto& state = nodes_.state(o.job);
  o.priority =
      (state.flags & touched) != 0 && !conf_.isolated_trials ? state.priority : of.priority;
  auto node = choose_at(o, o.priority, o.kept_away);
  if (node != none || conf_.disable_away || (o.gang != none && conf_.disable_gang_away))
    return node;
  return choose_away(o);
}

std::uint32_t round_engine::choose_home(offer& o) {
  o.priority = nodes_.state(o.job).priority;
  o.reach = o.priority;
  if (conf_.return_room_only || nodes_.overfull[o.home] != 0) return o.home;
  const auto* need = t_.amounts(o.shape);
  const auto row = nodes_.row_of(o.priority);
  if (row != none) return nodes_.fits(need, o.home, row) ? o.home : none;
  // At a priority without a row there is no room at all.
  return std::all_of(need, need + nodes_.dims, [](auto amount) { return amount == 0; }) ? o.home
                                                                                        : none;
}

std::uint32_t round_engine::choose_away(offer& o) {
  const auto& away = conf_.classes[t_.shapes[o.shape].class_index].away;
  for (std::uint32_t i = 0; i < away.size() && i < 32; ++i) {
    o.priority = away[i].priority;
    const auto mask = o.kept_away | (1u << i);
    const auto node = choose_at(o, o.priority, mask);
    if (node == none) continue;
    if (!conf_.isolated_trials) o.kept_away = mask;
    return node;
  }
  return none;
}

std::uint32_t round_engine::choose_at(offer& o, std::int32_t priority, std::uint32_t away_mask) {
  const auto row = nodes_.row_of(priority);
  o.reach = evicted_priority;
  if (nodes_.hopeless(t_.amounts(o.shape), row)) return none;
  auto added = added_for(t_, o.shape, away_mask, pin_);
  const auto terms = t_.shapes[o.shape].terms;
  auto matcher = matching_.find(terms, added);
  auto query = search_.query(matcher, o.shape);
  const auto free_node = order_.walks_free || o.roomiest ? preferred_free(o, query, matcher)
                                                         : search_.first_fit(query, 0);
  if (free_node != none || search_.stuck()) return free_node;
  if (t_.terms[terms].tries) {
    added.to_preempt = true;
    matcher = matching_.find(terms, added);
    query = search_.query(matcher, o.shape);
  }
  if (!search_.any_fit(query, row) || search_.stuck()) {
    nodes_.found_nothing(row);
    return none;
  }
  auto node = none;
  if (!conf_.disable_fair_share_preemption) node = preempt_fairly(o, query, matcher);
  if (node != none || conf_.disable_urgency_preemption || search_.stuck() ||
      conf_.urgency == urgency_rule::never)
    return node;
  return conf_.explicit_victims() ? push_in_naming(o, query, matcher) : push_in(o, query);
}

std::uint32_t round_engine::preempt_fairly(offer& o, std::uint32_t query, std::uint32_t matcher) {
  const auto node = order_.walks_table ? first_fair(o, query) : preferred_fair(o, query, matcher);
  if (node == none) return none;
  o.reach = evicted_priority;
  for (const auto job : crowd_) {
    o.reach = std::max(o.reach, nodes_.state(job).priority);
    const auto* gang = losses_.of(t_.jobs[job].gang);
    if (gang != nullptr) o.reach = std::max(o.reach, evicted_levels_[gang->highest]);
    nodes_.drop_evicted(job, shape_of(job));
    nodes_.strike(job);
    count_held(job, shape_of(job), -1);
    pushed_.push_back({job, o.job, preemption_cause::fair_share});
  }
  return node;
}

std::uint32_t round_engine::first_fair(const offer& o, std::uint32_t query) {
  const auto node = search_.first_fair(query, o.priority, crowd_);
  if (node == none) return none;
  if (conf_.needed_victims_only) {
    auto& room = victim_room_;
    room.assign(nodes_.free(node, 0), nodes_.free(node, 0) + nodes_.dims);
    const auto freed = [&](std::uint32_t job, auto visit) { visit(t_.amounts(shape_of(job))); };
    for (const auto job : crowd_)
      for (std::uint32_t d = 0; d < nodes_.dims; ++d) room[d] += t_.amounts(shape_of(job))[d];
    spare_unneeded(nodes_, t_.amounts(o.shape), room, crowd_, freed);
  }
  if (within_budget()) return node;
  crowd_.clear();
  return none;
}

std::uint32_t round_engine::push_in(offer& o, std::uint32_t query) {
  for (std::uint32_t row = 1; row < nodes_.row_count(); ++row) {
    const auto node = search_.first_fit(query, row);
    o.reach = nodes_.rows[row];
    if (search_.stuck()) return none;
    if (node != none) last_urgent_[node] = o.job;
    if (node != none || nodes_.rows[row] == o.priority) return node;
  }
  return none;
}

}  // namespace argosy::scheduling::engine
