// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/balance_victims.hpp"

#include <algorithm>
#include <utility>

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

balance_victims::balance_victims(world& w, const books& sums, trial& under_way, node_order& order,
                                 const preemption_budget& budget)
    : world_(w), t_(w.nodes.t), books_(sums), trial_(under_way), order_(order), budget_(budget) {}

void balance_victims::open(const returning_order& evicted) {
  evicted_ = &evicted;
  filed_.assign(trial_.held().is_open() ? trial_.held().rivals() : 0, 0);
}

bool balance_victims::balance_alone(const member& of, std::uint32_t rival) {
  const auto& table = world_.table;
  const auto held_by = [&](std::uint32_t queue) {
    const auto* sum = trial_.held().amounts(queue);
    std::vector<std::int64_t> amounts(sum, sum + t_.dims);
    for (const auto& each : crowd_) {
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
  const auto own = books_.of(of.own.job);
  auto with_gang = held_by(own);
  bool before = true;  // Whether the member's turn was before.
  for (std::size_t n = 0; n < of.all.offers.size(); ++n) {
    const auto& member = of.all.member(n);
    before = before && &member != &of.own;
    if (before && !member.left_out) continue;
    for (std::uint32_t d = 0; d < t_.dims; ++d) with_gang[d] += t_.amounts(member.shape)[d];
  }
  return share(rival, held_by(rival)) > share(own, with_gang);
}

bool balance_victims::gather(const member& of, std::uint32_t node) {
  crowd_.clear();
  const auto* first = world_.table.places_begin(node);
  const auto* at = world_.table.places_end(node);
  if (first == at) return false;
  const auto* last = at;
  const auto& table = world_.table;
  const auto* need = t_.amounts(of.own.shape);
  auto& room = room_;
  room.assign(world_.free.free(node, 0), world_.free.free(node, 0) + world_.nodes.dims);
  const auto freed = [&](const leaver& each, auto visit) {
    if (each.gang == nullptr) return visit(t_.amounts(table[each.place].shape));
    const auto gang = t_.jobs[table[each.place].job].gang;
    for (const auto* other = first; other != last; ++other)
      if (table[*other].alive && t_.jobs[table[*other].job].gang == gang)
        visit(t_.amounts(table[*other].shape));
  };
  std::size_t struck = 0;
  // Takes jobs from the lowest class up, and in each class from the one that would come back last.
  while (at != first && !world_.nodes.fits(need, room.data())) {
    const auto place = *--at;
    const auto& entry = table[place];
    if (!entry.alive) {
      ++struck;
      continue;
    }
    const auto level = evicted_->level_of_place(place);
    if (evicted_->priority_of(level) > of.own.priority) break;
    const auto* gang =
        evicted_->losses().empty() ? nullptr : evicted_->losses().of(t_.jobs[entry.job].gang);
    if (gang != nullptr && !may_fall(*gang, of.own)) continue;
    const auto lowest = evicted_->priority_of(gang == nullptr ? level : gang->lowest);
    if (world_.nodes.conf.disable_urgency_preemption && lowest < of.own.priority &&
        !balance_alone(of, entry.queue))
      continue;
    crowd_.push_back({place, gang});
    freed(crowd_.back(), [&](const std::int64_t* amounts) {
      for (std::uint32_t d = 0; d < world_.nodes.dims; ++d) room[d] += amounts[d];
    });
  }
  if (struck > struck_limit) world_.table.trim(node);
  if (crowd_.empty() || !world_.nodes.fits(need, room.data())) return false;
  if (world_.nodes.conf.needed_victims_only)
    spare_unneeded(world_.nodes, need, room, crowd_, freed);
  return true;
}

bool balance_victims::may_fall(const gang_loss& gang, const offer& o) const {
  return evicted_->priority_of(gang.highest) <= o.priority && !evicted_->losses().spares(gang) &&
         std::none_of(crowd_.begin(), crowd_.end(),
                      [&](const leaver& each) { return each.gang == &gang; });
}

balance_victims::crowd_size balance_victims::measure() const {
  // The last job that was gathered has the highest class, but for mates elsewhere.
  crowd_size all{crowd_.size(), evicted_->level_of_place(crowd_.back().place)};
  if (evicted_->losses().empty()) return all;
  for (const auto& each : crowd_) {
    if (each.gang == nullptr) continue;
    all.jobs += each.gang->jobs - 1;
    all.level = std::max(all.level, each.gang->highest);
  }
  return all;
}

void balance_victims::name_victims() {
  victims_.clear();
  for (const auto& each : crowd_) victims_.push_back(world_.table[each.place].job);
}

std::uint32_t balance_victims::judge_all(const member& of, std::uint32_t matcher) {
  victim_choice best;
  std::vector<std::uint32_t> leaving;  // Those of the best node.
  const auto judge = [&](std::uint32_t node) {
    if (world_.table.places_begin(node) == world_.table.places_end(node) ||
        !world_.terms.suits(matcher, node) || !gather(of, node))
      return;
    victim_choice choice;
    choice.node = node;
    const auto all = measure();
    choice.count = all.jobs;
    choice.level = evicted_->priority_of(all.level);
    for (const auto& each : crowd_)
      choice.share = std::max(choice.share, trial_.held().share(world_.table[each.place].queue));
    order_.look_at(choice, of.own, matcher);
    if (best.node != none && !order_.better(choice, best)) return;
    name_victims();
    if (!within_budget()) return;
    best = choice;
    std::swap(leaving, victims_);
  };
  if (const auto* only = world_.terms.get(matcher).only)
    std::for_each(only->begin(), only->end(), judge);
  else
    for (std::uint32_t node = 0; node < world_.nodes.count(); ++node) judge(node);
  victims_ = std::move(leaving);
  return best.node;
}

bool balance_victims::ranks(const offer& o, std::uint32_t matcher) {
  const bool packed = !order_.by_fit() || order_.packs();
  if (!order_.ranks_balance() || !packed || world_.terms.get(matcher).only != nullptr) return false;
  // Whether balance alone moves a lower class is another question for each job.
  return !world_.nodes.conf.disable_urgency_preemption || evicted_->priority_of(0) >= o.priority;
}

balance_victims::ranking& balance_victims::ranking_of(std::uint32_t query, std::int32_t priority) {
  // Which gangs are spared changes with what the queue is owed, and with it what nodes cost.
  const std::pair key{(std::uint64_t{query} << 32) | static_cast<std::uint32_t>(priority),
                      evicted_->losses().allowed()};
  if (last_ != nullptr && last_key_ == key) return *last_;
  auto found = rankings_.find(key);
  if (found == rankings_.end()) {
    const auto words = world_.nodes.count() + 16 * evicted_->levels() * trial_.held().rivals();
    if ((rankings_.size() + 1) * words > ranking_words_limit) rankings_.clear();
    found = rankings_.try_emplace(key, std::make_unique<ranking>()).first;
  }
  last_key_ = key;
  last_ = found->second.get();
  return *last_;
}

node_rank balance_victims::rank_of(std::uint32_t node, std::size_t victims,
                                   std::uint32_t matcher) const {
  const auto fit = order_.by_fit() ? order_.packed_room(node) : unsigned_wide{0};
  const auto soft = world_.nodes.conf.soft_taints_prefer
                        ? std::uint64_t{world_.terms.soft_taints(matcher, world_.nodes.kind(node))}
                        : 0;
  const auto count = order_.counts_victims() ? victims : 0;
  const auto high = static_cast<std::uint64_t>(fit >> 64);
  const auto low = static_cast<std::uint64_t>(fit);
  const auto id = (soft << 32) | world_.nodes.id_order(node);
  if (order_.fit_before_count()) return {high, low, count, id};
  return {count, high, low, id};
}

void balance_victims::rank_node(node_ranking& into, const member& of, std::uint32_t matcher,
                                std::uint32_t node) {
  if (!world_.terms.suits(matcher, node) || !gather(of, node)) return;
  const auto& table = world_.table;
  const auto all = measure();
  const auto rank = rank_of(node, all.jobs, matcher);
  const auto victim = crowd_.size() == 1 ? crowd_.front().place : none;
  ++filing_;
  for (const auto& each : crowd_) {
    const auto queue = trial_.held().number_of(table[each.place].queue);
    if (std::exchange(filed_[queue], filing_) == filing_) continue;
    into.file(node, all.level, queue, rank, victim);
  }
}

void balance_victims::follow(ranking& c, const member& of, std::uint32_t matcher) {
  const auto& changes = world_.free.changes();
  const auto since = std::exchange(c.position, changes.filed());
  if (c.nodes && c.nodes->size() <= 4 * c.built + 1024) {
    changes.visit(change_log::everything, since, [&](std::uint32_t node) {
      c.nodes->withdraw(node);
      rank_node(*c.nodes, of, matcher, node);
      return true;
    });
    return;
  }
  rank_all(c, of, matcher);
}

void balance_victims::rank_all(ranking& c, const member& of, std::uint32_t matcher) {
  const auto keeps_all = rankings_.size() * world_.nodes.count() <= ranked_limit;
  c.nodes = std::make_unique<node_ranking>(
      world_.nodes.count(), static_cast<std::uint32_t>(evicted_->levels()), trial_.held().rivals(),
      keeps_all ? node_ranking::all : best_nodes);
  for (std::uint32_t node = 0; node < world_.nodes.count(); ++node)
    if (world_.table.places_begin(node) != world_.table.places_end(node))
      rank_node(*c.nodes, of, matcher, node);
  c.built = c.nodes->size();
}

std::uint32_t balance_victims::choose(const offer& o, const gang& on_trial, std::uint32_t query,
                                      std::uint32_t matcher) {
  victims_.clear();
  if (order_.walks_table()) return first_in_table(o, query, matcher);
  if (world_.table.end() == 0) return none;
  if (world_.nodes.conf.hard_preemption_budget && budget_.is_spent()) return none;
  const member of{o, on_trial};
  if (!ranks(o, matcher)) return judge_all(of, matcher);
  auto& c = ranking_of(query, o.priority);
  follow(c, of, matcher);
  auto found = c.nodes->first(trial_.held());
  if (found.incomplete) {
    rank_all(c, of, matcher);
    found = c.nodes->first(trial_.held());
  }
  if (found.victim != none)
    victims_.push_back(world_.table[found.victim].job);
  else if (found.node != none && gather(of, found.node))
    name_victims();
  if (found.node == none || within_budget()) return found.node;
  return judge_all(of, matcher);  // Fewer jobs may fall on another node.
}

std::uint32_t balance_victims::first_in_table(const offer& o, std::uint32_t query,
                                              std::uint32_t matcher) {
  const auto node = world_.table_walks.first(query, matcher, o.shape, o.priority, victims_);
  if (node == none) return none;
  if (world_.nodes.conf.needed_victims_only) {
    const auto dims = world_.nodes.dims;
    auto& room = room_;
    room.assign(world_.free.free(node, 0), world_.free.free(node, 0) + dims);
    const auto freed = [&](std::uint32_t job, auto visit) {
      visit(t_.amounts(t_.jobs[job].shape));
    };
    for (const auto job : victims_)
      freed(job, [&](const std::int64_t* amounts) {
        for (std::uint32_t d = 0; d < dims; ++d) room[d] += amounts[d];
      });
    spare_unneeded(world_.nodes, t_.amounts(o.shape), room, victims_, freed);
  }
  if (within_budget()) return node;
  victims_.clear();
  return none;
}

bool balance_victims::within_budget() const {
  return budget_.covers(victims_, trial_.pushed_for_balance());
}

}  // namespace argosy::scheduling::engine
