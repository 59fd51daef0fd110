// SPDX-License-Identifier: Apache-2.0
// Slices and lottery: what is free is cut into a slice for each queue that has queued jobs, queues
// fill their slices, and what is left is drawn for with the round's seed.
#include <algorithm>
#include <cmath>

#include "runtime/scheduling/engine/mixing.hpp"
#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

namespace {

/// The number of steps in a part of an amount. Rounding errors of doubles must not cost a step, or
/// an exact fit would miss its slice.
std::int64_t whole_steps(double part) {
  const auto nearest = std::round(part);
  const bool exact = std::abs(part - nearest) <= 1e-9 * (1 + part);
  return static_cast<std::int64_t>(exact ? nearest : std::floor(part));
}

}  // namespace

double round_engine::usage_priority(std::uint32_t queue) const {
  const auto& book = books_.queues[queue];
  return book.usage / book.weight;
}

double round_engine::part_of(std::uint32_t queue) const {
  const auto priority = usage_priority(queue);
  return conf_.slices == slice_share::inverse ? 1.0 / priority : priority;
}

std::vector<round_engine::slice> round_engine::cut_slices(contest& streams) {
  const auto unused = books_.unused();
  std::vector<slice> slices(books_.queues.size());
  auto shared = unused;  // What the queues that get a slice use, plus what is free.
  double weights = 0;
  for (std::uint32_t q = 0; q < slices.size(); ++q) {
    if (books_.queues[q].cordoned || streams.head_of(q) == nullptr) continue;
    slices[q].share = part_of(q);
    weights += slices[q].share;
    for (std::uint32_t d = 0; d < t_.dims; ++d) shared[d] += books_.queues[q].used[d];
  }
  // A queue is owed its part of that, less what it uses already.
  const auto worth = books_.cost(shared.data());
  double owed = 0;
  for (std::uint32_t q = 0; q < slices.size(); ++q) {
    if (slices[q].share <= 0) continue;
    const auto part = worth * slices[q].share / weights;
    slices[q].share = std::max(0.0, part - books_.cost(books_.queues[q].used.data()));
    owed += slices[q].share;
  }
  for (auto& own : slices) {
    own.share = owed > 0 ? own.share / owed : 0.0;
    for (const auto amount : unused)
      own.left.push_back(whole_steps(static_cast<double>(amount) * own.share));
  }
  return slices;
}

reason round_engine::try_gang(gang& g, std::uint32_t queue, slice& own) {
  if (discarded(g)) {
    refuse(g, reason::gang_incomplete);
    return reason::gang_incomplete;
  }
  const auto outcome = attempt(g, queue);
  if (outcome != reason::placed) {
    refuse(g, outcome);
    return outcome;
  }
  accept(g, queue);
  for (const auto& o : g.offers) {
    if (o.left_out) continue;
    const auto* request = t_.amounts(o.shape);
    for (std::uint32_t d = 0; d < t_.dims; ++d)
      own.left[d] = std::max<std::int64_t>(0, own.left[d] - request[d]);
  }
  return outcome;
}

void round_engine::end_lots(contest& streams, std::vector<slice>& slices, std::uint32_t queue,
                            reason outcome) {
  const auto give_up = [&](slice& own, reason why) {
    std::vector<gang> kept;
    for (; own.next < own.deferred.size(); ++own.next) {
      auto& g = own.deferred[own.next];
      if (g.returning)
        kept.push_back(std::move(g));
      else
        refuse(g, why);
    }
    own.deferred = std::move(kept);
    own.next = 0;
  };
  if (ends_round(outcome)) {
    streams.close();
    for (auto& own : slices) give_up(own, reason::not_reached);
  } else if (ends_queue(outcome)) {
    streams.close_queue(queue, outcome);
    give_up(slices[queue], outcome);
  }
}

bool round_engine::take_turn(contest& streams, std::uint32_t queue, std::vector<slice>& slices) {
  auto& own = slices[queue];
  while (own.misses < conf_.slice_batch) {
    auto* g = streams.head_of(queue);
    if (g == nullptr) return false;
    bool within = true;
    for (std::uint32_t d = 0; d < t_.dims; ++d) within = within && g->total[d] <= own.left[d];
    auto outcome = reason::job_does_not_fit;
    if (within)
      outcome = try_gang(*g, queue, own);
    else
      own.deferred.push_back(*g);
    streams.drop_head(queue);
    end_lots(streams, slices, queue, outcome);
    if (outcome == reason::placed) return true;
    ++own.misses;
  }
  return false;
}

void round_engine::fill_slices(contest& streams, std::vector<slice>& slices) {
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t q = 0; q < slices.size(); ++q) any = take_turn(streams, q, slices) || any;
  }
}

double round_engine::weigh_lots(contest& streams, const std::vector<slice>& slices,
                                std::vector<double>& chances) const {
  double sum = 0;
  // When the slices are used up, the queues that still wait draw with the parts by which slices
  // were cut.
  for (const bool by_claim : {false, true}) {
    if (sum > 0) break;
    for (std::uint32_t q = 0; q < slices.size(); ++q) {
      const auto waits =
          slices[q].next < slices[q].deferred.size() || streams.head_of(q) != nullptr;
      chances[q] = !waits ? 0.0 : by_claim ? part_of(q) : slices[q].worth;
      sum += chances[q];
    }
  }
  return sum;
}

void round_engine::draw_lots(contest& streams) {
  auto slices = cut_slices(streams);
  if (conf_.selection == queue_selection::slices_then_lottery) fill_slices(streams, slices);
  for (auto& own : slices) own.worth = books_.cost(own.left.data());
  auto state = params_.seed;
  std::vector<double> chances(slices.size());
  while (true) {
    const auto sum = weigh_lots(streams, slices, chances);
    if (sum <= 0) return;
    auto lot = unit_interval(split_mix(state)) * sum;
    state += golden_step;
    std::uint32_t winner = none;
    for (std::uint32_t q = 0; q < slices.size(); ++q) {
      if (chances[q] <= 0) continue;
      winner = q;
      if (lot < chances[q]) break;
      lot -= chances[q];
    }
    auto& own = slices[winner];
    auto outcome = reason::placed;
    if (own.next < own.deferred.size()) {
      outcome = try_gang(own.deferred[own.next++], winner, own);
    } else {
      outcome = try_gang(*streams.head_of(winner), winner, own);
      streams.drop_head(winner);
    }
    if (outcome == reason::placed) own.worth = books_.cost(own.left.data());
    end_lots(streams, slices, winner, outcome);
  }
}

}  // namespace argosy::scheduling::engine
