// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/turn_ranks.hpp"
#include "runtime/base/planted.hpp"

#include <algorithm>
#include <cmath>

namespace argosy::scheduling::engine {

namespace {

/// Shares of queues with other factors are equal but for their last bits. Returns the number with
/// 40 significant bits.
double without_last_bits(double number) {
  int exponent = 0;
  return std::ldexp(std::round(std::ldexp(std::frexp(number, &exponent), 40)), exponent - 40);
}

/// With more kinds of jobs in a queue, these are not looked at one by one.
constexpr std::size_t many_kinds = 64;

}  // namespace

turn_rank turn_ranks::of(std::uint32_t queue, const std::int64_t* used,
                         const offered_gang& offered) {
  const auto& book = books_.queues[queue];
  const auto* with_penalty = used;
  if (!book.penalty.empty()) {
    penalised_.assign(used, used + t_.dims);
    for (std::uint32_t d = 0; d < t_.dims; ++d) penalised_[d] += book.penalty[d];
    with_penalty = penalised_.data();
  }
  turn_rank r;
  r.priority = conf_.class_before_cost ? offered.priority : 0;
  r.starts = conf_.return_room_only && !offered.returning;
  r.queue = queue;
  r.away = book.away;
  auto with = books_.cost(with_penalty, offered.total);
  // A gang that crosses the share goes as if it ended there, so that its size costs no entitlement,
  // but after gangs that do end there. Sums of doubles miss a share by less than this part of it.
  constexpr double hair = 1e-9;
  const bool crosses = conf_.rank_at_share && with > book.capped * (1 + hair) &&
                       books_.cost(with_penalty) < book.capped * (1 - hair);
  if (crosses) with = book.capped * (1 + hair);
  r.cost = with / book.turn_weight;
  if (is_planted(planted_fault::favours_first_queue)) r.cost = queue;
  if (crosses) r.cost = without_last_bits(r.cost);
  // Usage that fades orders who starts. What runs within its queue's share is not asked for it.
  if (usage_moves_turns(conf_) && offered.returning &&
      book.protects(conf_, books_.cost(used, offered.total))) {
    r.over = -1;
    return r;
  }
  if (!conf_.prefer_large_jobs) return r;
  if (r.cost > book.capped / book.turn_weight) {
    r.over = 1;
    return r;
  }
  r.cost = books_.cost(with_penalty) / book.turn_weight;
  r.size = -(books_.cost(offered.total) * book.turn_weight);
  return r;
}

std::optional<turn_rank> turn_ranks::first_new_of(std::uint32_t queue, std::uint32_t pool) {
  const auto& book = books_.queues[queue];
  const auto& kinds = t_.queues[book.slot].queued_alike;
  std::optional<turn_rank> first;
  const auto see = [&](const std::int64_t* total, std::int32_t priority) {
    const auto rank = of(queue, book.used.data(), {total, priority, false});
    if (!first || rank < *first) first = rank;
  };
  bool by_kind = kinds.size() <= many_kinds;
  bool any = false;
  for (const auto& [key, jobs] : kinds) {
    if (!in_pool(t_, key.pools, pool)) continue;
    any = true;
    by_kind = by_kind && key.shape != none;
    if (!by_kind) break;
    see(t_.amounts(key.shape), conf_.classes[t_.shapes[key.shape].class_index].priority);
  }
  if (!any || by_kind) return first;
  // Whatever the job or gang is, it is of one of these classes and adds to what the queue uses.
  first.reset();
  const std::vector<std::int64_t> nothing(t_.dims, 0);
  for (const auto priority : book.queued_at) see(nothing.data(), priority);
  return first;
}

std::optional<turn_rank> turn_ranks::first_new(std::uint32_t pool) {
  std::optional<turn_rank> first;
  for (std::uint32_t q = 0; q < books_.queues.size(); ++q) {
    if (books_.queues[q].away || books_.queues[q].cordoned) continue;
    const auto rank = first_new_of(q, pool);
    if (rank && (!first || *rank < *first)) first = rank;
  }
  if (!first) return first;
  // Sums of doubles miss each other by less than this.
  first->cost -= std::abs(first->cost) * 1e-9;
  first->starts = false;
  first->queue = 0;
  return first;
}

}  // namespace argosy::scheduling::engine
