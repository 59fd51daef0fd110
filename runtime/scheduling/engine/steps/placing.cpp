// SPDX-License-Identifier: Apache-2.0
// Placing a gang member by member, and choosing a node for one job.
#include <algorithm>

#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

reason round_engine::place(gang& g) {
  const auto& first = g.offers.front();
  auto label = none;
  if (first.gang != none && !(g.returning && conf_.return_room_only)) {
    label = t_.gang_terms[t_.jobs[first.job].gang_terms].label;
    if (label == none && !conf_.default_uniformity_label.empty() && !g.returning)
      label = matching_.default_label();
  }
  std::vector<pin> pins;
  if (label != none) {
    const auto& values = matching_.values(label);
    if (!values.carried) return reason::no_node_has_label;
    for (const auto value : values.numbers) pins.push_back({label, value, none});
    return place_under(g, pins, reason::no_uniform_value);
  }
  if (conf_.gang_in_one_cluster && first.gang != none && !g.returning) {
    for (const auto executor : matching_.executors()) pins.push_back({none, none, executor});
    return place_under(g, pins, reason::no_single_cluster);
  }
  return place_once(g, {}) ? reason::placed : reason::gang_does_not_fit;
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

round_engine::gang_fit round_engine::fit_of(const gang& g) {
  std::int64_t sum = 0;
  gang_fit fit;
  for (const auto& o : g.offers) {
    fit.left_out += o.left_out ? 1 : 0;
    sum += o.left_out ? 0 : o.reach;
  }
  fit.mean_reach = static_cast<double>(sum) / static_cast<double>(g.offers.size() - fit.left_out);
  return fit;
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
    if (p.was_bound) {
      const auto& record = t_.jobs[p.job];
      const auto queue = books_.of(p.job);
      books_.charge(queue, record.shape, -1, false);
      if (std::find(lightened_.begin(), lightened_.end(), queue) == lightened_.end())
        lightened_.push_back(queue);
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
  std::size_t spare = 0;  // The number of members that the gang can start without.
  const auto& first = g.offers.front();
  if (conf_.minimum_cardinality && first.gang != none && !g.returning) {
    const auto minimum = t_.gang_terms[t_.jobs[first.job].gang_terms].minimum;
    spare = g.offers.size() - std::min<std::size_t>(minimum, g.offers.size());
  }
  for (auto& o : g.offers) {
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
  added_terms added;
  added.defaults = true;
  added.away_class = t_.shapes[o.shape].class_index;
  added.away_mask = away_mask;
  added.label = pin_.label;
  added.value = pin_.value;
  added.executor = pin_.executor;
  const auto terms = t_.shapes[o.shape].terms;
  auto matcher = matching_.find(terms, added);
  auto query = search_.query(matcher, o.shape);
  const auto free_node =
      order_.walks_free ? preferred_free(o, query, matcher) : search_.first_fit(query, 0);
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
  const auto node = order_.walks_table ? search_.first_fair(query, o.priority, crowd_)
                                       : preferred_fair(o, query, matcher);
  if (node == none) return none;
  if (order_.walks_table && conf_.needed_victims_only) spare_unneeded(o, node, crowd_);
  if (conf_.hard_preemption_budget && !within_budget()) {
    crowd_.clear();
    return none;
  }
  o.reach = evicted_priority;
  for (const auto job : crowd_) {
    o.reach = std::max(o.reach, nodes_.state(job).priority);
    nodes_.drop_evicted(job, shape_of(job));
    nodes_.strike(job);
    count_held(job, shape_of(job), -1);
    pushed_.push_back({job, o.job, preemption_cause::fair_share});
  }
  return node;
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
