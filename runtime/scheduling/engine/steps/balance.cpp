// SPDX-License-Identifier: Apache-2.0
// Victims for balance: which node's evicted jobs give way to a job whose queue has the better
// claim. Nodes are compared by config::node_order, as for victims of urgency; what a queue holds
// counts as it is at that moment, so that no queue gives up more than makes it equal to the others.
#include <algorithm>
#include <utility>

#include "runtime/scheduling/engine/round_engine.hpp"
#include "runtime/scheduling/engine/steps/needed_victims.hpp"

namespace argosy::scheduling::engine {

namespace {

/// Nodes of all rankings of a round together that are kept, at about 100 bytes each. Rankings made
/// beyond that keep only the best nodes.
constexpr std::size_t ranked_limit = std::size_t{2} << 20;
/// The nodes kept of each class and queue. The more, the more rarely all are looked at again.
constexpr std::size_t best_nodes = 256;
/// What rankings need however few nodes they keep, in words; beyond that all are made anew.
constexpr std::size_t ranking_words_limit = std::size_t{64} << 20;
/// When more places of a node were passed over in vain, those at its end are forgotten.
constexpr std::size_t struck_limit = 8;

}  // namespace

bool round_engine::balance_alone(const offer& o, std::uint32_t rival) {
  const auto& table = nodes_.table();
  const auto held_by = [&](std::uint32_t queue) {
    const auto* sum = held_.amounts(queue);
    std::vector<std::int64_t> amounts(sum, sum + t_.dims);
    for (const auto& each : crowd_places_) {
      if (table[each.place].queue != queue) continue;
      const auto* leaves =
          each.gang == nullptr ? t_.amounts(table[each.place].shape) : each.gang->amounts.data();
      for (std::uint32_t d = 0; d < t_.dims; ++d) amounts[d] -= leaves[d];
    }
    return amounts;
  };
  const auto share = [&](std::uint32_t queue, const std::vector<std::int64_t>& amounts) {
    return books_.cost(amounts.data()) / books_.queues[queue].weight;
  };
  const auto own = books_.of(o.job);
  auto with_gang = held_by(own);
  bool before = true;  // Whether the member's turn was before.
  for (std::size_t n = 0; n < on_trial_->offers.size(); ++n) {
    const auto& member = on_trial_->member(n);
    before = before && &member != on_turn_;
    if (before && !member.left_out) continue;
    for (std::uint32_t d = 0; d < t_.dims; ++d) with_gang[d] += t_.amounts(member.shape)[d];
  }
  return share(rival, held_by(rival)) > share(own, with_gang);
}

bool round_engine::gather_crowd(const offer& o, std::uint32_t node) {
  crowd_places_.clear();
  const auto* first = nodes_.places_begin(node);
  const auto* at = nodes_.places_end(node);
  if (first == at) return false;
  const auto* last = at;
  const auto& table = nodes_.table();
  const auto* need = t_.amounts(o.shape);
  auto& room = victim_room_;
  room.assign(nodes_.free(node, 0), nodes_.free(node, 0) + nodes_.dims);
  const auto freed = [&](const leaver& each, auto visit) {
    if (each.gang == nullptr) return visit(t_.amounts(table[each.place].shape));
    const auto gang = t_.jobs[table[each.place].job].gang;
    for (const auto* other = first; other != last; ++other)
      if (table[*other].alive && t_.jobs[table[*other].job].gang == gang)
        visit(t_.amounts(table[*other].shape));
  };
  std::size_t struck = 0;
  // Takes jobs from the lowest class up, and in each class from the one that would come back last.
  while (at != first && !nodes_.fits(need, room.data())) {
    const auto place = *--at;
    const auto& entry = table[place];
    if (!entry.alive) {
      ++struck;
      continue;
    }
    const auto level = level_of_place(place);
    if (evicted_levels_[level] > o.priority) break;
    const auto* gang = losses_.empty() ? nullptr : losses_.of(t_.jobs[entry.job].gang);
    if (gang != nullptr && !may_fall(*gang, o)) continue;
    const auto lowest = evicted_levels_[gang == nullptr ? level : gang->lowest];
    if (conf_.disable_urgency_preemption && lowest < o.priority && !balance_alone(o, entry.queue))
      continue;
    crowd_places_.push_back({place, gang});
    freed(crowd_places_.back(), [&](const std::int64_t* amounts) {
      for (std::uint32_t d = 0; d < nodes_.dims; ++d) room[d] += amounts[d];
    });
  }
  if (struck > struck_limit) nodes_.trim(node);
  if (crowd_places_.empty() || !nodes_.fits(need, room.data())) return false;
  if (conf_.needed_victims_only) spare_unneeded(nodes_, need, room, crowd_places_, freed);
  return true;
}

bool round_engine::may_fall(const gang_loss& gang, const offer& o) const {
  return evicted_levels_[gang.highest] <= o.priority && !losses_.spares(gang) &&
         std::none_of(crowd_places_.begin(), crowd_places_.end(),
                      [&](const leaver& each) { return each.gang == &gang; });
}

round_engine::crowd_size round_engine::measure_crowd() const {
  // The last job that was gathered has the highest class, but for mates elsewhere.
  crowd_size all{crowd_places_.size(), level_of_place(crowd_places_.back().place)};
  if (losses_.empty()) return all;
  for (const auto& each : crowd_places_) {
    if (each.gang == nullptr) continue;
    all.jobs += each.gang->jobs - 1;
    all.level = std::max(all.level, each.gang->highest);
  }
  return all;
}

void round_engine::name_crowd() {
  crowd_.clear();
  for (const auto& each : crowd_places_) crowd_.push_back(nodes_.table()[each.place].job);
}

std::uint32_t round_engine::judge_all_fairly(const offer& o, std::uint32_t matcher) {
  victim_choice best;
  std::vector<std::uint32_t> leaving;  // Those of the best node.
  const auto judge = [&](std::uint32_t node) {
    if (nodes_.places_begin(node) == nodes_.places_end(node) || !matching_.suits(matcher, node) ||
        !gather_crowd(o, node))
      return;
    victim_choice choice;
    choice.node = node;
    const auto all = measure_crowd();
    choice.count = all.jobs;
    choice.level = evicted_levels_[all.level];
    for (const auto& each : crowd_places_)
      choice.share = std::max(choice.share, held_.share(nodes_.table()[each.place].queue));
    look_at(choice, o, matcher);
    if (best.node != none && !better(choice, best)) return;
    name_crowd();
    if (!within_budget()) return;
    best = choice;
    std::swap(leaving, crowd_);
  };
  if (const auto* only = matching_.get(matcher).only)
    std::for_each(only->begin(), only->end(), judge);
  else
    for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) judge(node);
  crowd_ = std::move(leaving);
  return best.node;
}

bool round_engine::ranks_balance(const offer& o, std::uint32_t matcher) {
  const bool packed = !order_.by_fit || users_.packs();
  if (!order_.ranks_balance || !packed || matching_.get(matcher).only != nullptr) return false;
  // Whether balance alone moves a lower class is another question for each job.
  return !conf_.disable_urgency_preemption || evicted_levels_.front() >= o.priority;
}

round_engine::balance_cache& round_engine::balance_of(std::uint32_t query, std::int32_t priority) {
  // Which gangs are spared changes with what the queue is owed, and with it what nodes cost.
  const std::pair key{(std::uint64_t{query} << 32) | static_cast<std::uint32_t>(priority),
                      losses_.allowed()};
  if (last_balance_ != nullptr && last_balance_key_ == key) return *last_balance_;
  auto found = balance_.find(key);
  if (found == balance_.end()) {
    const auto words = nodes_.node_count() + 16 * evicted_levels_.size() * held_.rivals();
    if ((balance_.size() + 1) * words > ranking_words_limit) balance_.clear();
    found = balance_.try_emplace(key, std::make_unique<balance_cache>()).first;
  }
  last_balance_key_ = key;
  last_balance_ = found->second.get();
  return *last_balance_;
}

node_rank round_engine::rank_of(std::uint32_t node, std::size_t victims,
                                std::uint32_t matcher) const {
  const auto fit = order_.by_fit ? users_.packed(nodes_.free(node, 0)) : unsigned_wide{0};
  const auto soft = conf_.soft_taints_prefer
                        ? std::uint64_t{matching_.soft_taints(matcher, nodes_.kind[node])}
                        : 0;
  const auto count = order_.counts_victims ? victims : 0;
  const auto high = static_cast<std::uint64_t>(fit >> 64);
  const auto low = static_cast<std::uint64_t>(fit);
  const auto id = (soft << 32) | nodes_.id_order[node];
  if (order_.fit_before_count) return {high, low, count, id};
  return {count, high, low, id};
}

void round_engine::rank_node(node_ranking& into, const offer& o, std::uint32_t matcher,
                             std::uint32_t node) {
  if (!matching_.suits(matcher, node) || !gather_crowd(o, node)) return;
  const auto& table = nodes_.table();
  const auto all = measure_crowd();
  const auto rank = rank_of(node, all.jobs, matcher);
  const auto victim = crowd_places_.size() == 1 ? crowd_places_.front().place : none;
  ++filing_;
  for (const auto& each : crowd_places_) {
    const auto queue = held_.number_of(table[each.place].queue);
    if (std::exchange(filed_[queue], filing_) == filing_) continue;
    into.file(node, all.level, queue, rank, victim);
  }
}

void round_engine::follow_balance(balance_cache& c, const offer& o, std::uint32_t matcher) {
  const auto& changes = nodes_.changes();
  const auto since = std::exchange(c.position, changes.filed());
  if (c.ranking && c.ranking->size() <= 4 * c.built + 1024) {
    changes.visit(change_log::everything, since, [&](std::uint32_t node) {
      c.ranking->withdraw(node);
      rank_node(*c.ranking, o, matcher, node);
      return true;
    });
    return;
  }
  rank_all(c, o, matcher);
}

void round_engine::rank_all(balance_cache& c, const offer& o, std::uint32_t matcher) {
  const auto keeps_all = balance_.size() * nodes_.node_count() <= ranked_limit;
  c.ranking = std::make_unique<node_ranking>(
      nodes_.node_count(), static_cast<std::uint32_t>(evicted_levels_.size()), held_.rivals(),
      keeps_all ? node_ranking::all : best_nodes);
  for (std::uint32_t node = 0; node < nodes_.node_count(); ++node)
    if (nodes_.places_begin(node) != nodes_.places_end(node))
      rank_node(*c.ranking, o, matcher, node);
  c.built = c.ranking->size();
}

std::uint32_t round_engine::preferred_fair(const offer& o, std::uint32_t query,
                                           std::uint32_t matcher) {
  crowd_.clear();
  if (nodes_.table_end() == 0) return none;
  if (conf_.hard_preemption_budget && books_.preemption_tokens < 1) return none;
  if (!ranks_balance(o, matcher)) return judge_all_fairly(o, matcher);
  auto& c = balance_of(query, o.priority);
  follow_balance(c, o, matcher);
  auto found = c.ranking->first(held_);
  if (found.incomplete) {
    rank_all(c, o, matcher);
    found = c.ranking->first(held_);
  }
  if (found.victim != none)
    crowd_.push_back(nodes_.table()[found.victim].job);
  else if (found.node != none && gather_crowd(o, found.node))
    name_crowd();
  if (found.node == none || within_budget()) return found.node;
  return judge_all_fairly(o, matcher);  // Fewer jobs may fall on another node.
}

}  // namespace argosy::scheduling::engine
