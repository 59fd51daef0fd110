// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/node_chooser.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

node_chooser::node_chooser(world& w, const books& sums, trial& under_way, node_order& order,
                           const preemption_budget& budget, armada_traces& traces)
    : world_(w),
      t_(w.nodes.t),
      conf_(w.nodes.conf),
      trial_(under_way),
      order_(order),
      traces_(traces),
      balance_(w, sums, under_way, order, budget),
      urgency_(w, sums, under_way, order, budget),
      banned_(banned_resources(w.nodes)) {}

void node_chooser::open(const returning_order& evicted) {
  evicted_ = &evicted;
  balance_.open(evicted);
  urgency_.open(evicted);
}

std::uint32_t node_chooser::choose(offer& o, const gang& on_trial, const pin& common) {
  balance_.forget();
  if (o.home != none) return choose_home(o);
  const auto* need = t_.amounts(o.shape);
  for (const auto dimension : banned_)
    if (need[dimension] != 0) return none;
  const auto& of = conf_.classes[t_.shapes[o.shape].class_index];
  // Armada remembers the priority of a trial that it undid.
  o.priority = conf_.isolated_trials ? of.priority : world_.bound.priority(o.job);
  const asked from{o, on_trial, common};
  const auto node = choose_at(from, o.kept_away);
  if (node != none || conf_.disable_away || (o.gang != none && conf_.disable_gang_away))
    return node;
  return choose_away(from);
}

std::uint32_t node_chooser::choose_home(offer& o) {
  o.priority = world_.bound.priority(o.job);
  o.reach = o.priority;
  if (conf_.return_room_only || world_.nodes.overfull(o.home)) return o.home;
  const auto* need = t_.amounts(o.shape);
  const auto row = world_.nodes.rows.of(o.priority);
  if (row != none) return world_.free.fits(need, o.home, row) ? o.home : none;
  // At a priority without a row there is no room at all.
  return std::all_of(need, need + world_.nodes.dims, [](auto amount) { return amount == 0; })
             ? o.home
             : none;
}

std::uint32_t node_chooser::choose_away(const asked& from) {
  auto& o = from.own;
  const auto& away = conf_.classes[t_.shapes[o.shape].class_index].away;
  for (std::uint32_t i = 0; i < away.size() && i < 32; ++i) {
    o.priority = away[i].priority;
    const auto mask = o.kept_away | (1u << i);
    const auto node = choose_at(from, mask);
    if (node == none) continue;
    if (!conf_.isolated_trials) o.kept_away = mask;
    return node;
  }
  return none;
}

std::uint32_t node_chooser::choose_at(const asked& from, std::uint32_t away_mask) {
  auto& o = from.own;
  const auto row = world_.nodes.rows.of(o.priority);
  o.reach = evicted_priority;
  if (world_.free.hopeless(t_.amounts(o.shape), row)) return none;
  auto added = added_for(t_, o.shape, away_mask, from.common);
  const auto terms = t_.shapes[o.shape].terms;
  auto matcher = world_.terms.find(terms, added);
  auto query = world_.search.query(matcher, o.shape);
  const auto free_node = order_.walks_free() || o.roomiest ? order_.best_free(o, query, matcher)
                                                           : world_.search.first_fit(query, 0);
  if (free_node != none || world_.is_stuck()) return free_node;
  if (t_.terms[terms].tries) {
    added.to_preempt = true;
    matcher = world_.terms.find(terms, added);
    query = world_.search.query(matcher, o.shape);
  }
  if (!world_.search.any_fit(query, row) || world_.is_stuck()) {
    world_.free.found_nothing(row);
    return none;
  }
  auto node = none;
  if (!conf_.disable_fair_share_preemption) node = preempt_fairly(from, query, matcher);
  if (node != none || conf_.disable_urgency_preemption || world_.is_stuck() ||
      conf_.urgency == urgency_rule::never)
    return node;
  return conf_.explicit_victims() ? push_in_naming(o, query, matcher) : push_in(o, query);
}

std::uint32_t node_chooser::push_in(offer& o, std::uint32_t query) {
  for (std::uint32_t row = 1; row < world_.nodes.rows.count(); ++row) {
    const auto node = world_.search.first_fit(query, row);
    o.reach = world_.nodes.rows[row];
    if (world_.is_stuck()) return none;
    if (node != none) traces_.overdraw(node, o.job);
    if (node != none || world_.nodes.rows[row] == o.priority) return node;
  }
  return none;
}

std::uint32_t node_chooser::preempt_fairly(const asked& from, std::uint32_t query,
                                           std::uint32_t matcher) {
  auto& o = from.own;
  const auto node = balance_.choose(o, from.on_trial, query, matcher);
  if (node == none) return none;
  o.reach = evicted_priority;
  for (const auto job : balance_.victims()) {
    o.reach = std::max(o.reach, world_.bound.priority(job));
    const auto* gang = evicted_->losses().of(t_.jobs[job].gang);
    if (gang != nullptr) o.reach = std::max(o.reach, evicted_->priority_of(gang->highest));
    trial_.push_out(job, o.job, preemption_cause::fair_share);
  }
  return node;
}

std::uint32_t node_chooser::push_in_naming(offer& o, std::uint32_t query, std::uint32_t matcher) {
  const auto found = urgency_.choose(o, query, matcher);
  if (found.node == none) return none;
  o.reach = found.level;
  for (const auto job : urgency_.victims()) trial_.push_out_gang(job, o.job);
  return found.node;
}

void node_chooser::placed(const offer& o) {
  urgency_.placed(o.job);
  if (o.home != none) return;
  for (const auto job : balance_.victims()) trial_.drop_mates(job, o.job);
}

}  // namespace argosy::scheduling::engine
