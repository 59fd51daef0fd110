// SPDX-License-Identifier: Apache-2.0
// Slices and lottery (features S54 to S60): what is free is cut into a slice for each queue that
// has queued jobs; queues fill their slices; what is left is drawn for, with the round's seed.
#include <algorithm>

#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

namespace {

/// SplitMix64, as a number from 0 up to 1.
double draw(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  auto value = state;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((value ^ (value >> 31)) >> 11) * 0x1p-53;
}

}  // namespace

double round_engine::usage_priority(std::uint32_t queue) const {
  const auto& book = sums_.queues[queue];
  if (!conf_.usage_priority) return 1.0 / book.weight;
  const auto& name = t_.queues[book.slot].name;
  double priority = 0.5;
  for (const auto& [of, value] : params_.usage_priority)
    if (of == name) priority = std::max(0.5, value);
  return priority / book.weight;
}

std::vector<round_engine::slice> round_engine::cut_slices(contest& streams) {
  std::vector<std::int64_t> unused(t_.dims);
  for (std::uint32_t d = 0; d < t_.dims; ++d)
    unused[d] = std::max<std::int64_t>(0, sums_.total[d] - sums_.used_all[d]);
  std::vector<slice> slices(sums_.queues.size());
  double weights = 0;
  for (std::uint32_t q = 0; q < slices.size(); ++q) {
    if (streams.head_of(q) == nullptr) continue;
    const auto priority = usage_priority(q);
    slices[q].share = conf_.slices == slice_share::inverse ? 1.0 / priority : priority;
    weights += slices[q].share;
  }
  // A queue is owed its part of all that is used or free, less what it uses already.
  const auto worth = sums_.cost(sums_.used_all.data(), unused.data());
  double owed = 0;
  for (std::uint32_t q = 0; q < slices.size(); ++q) {
    if (slices[q].share <= 0) continue;
    const auto part = worth * slices[q].share / weights;
    slices[q].share = std::max(0.0, part - sums_.cost(sums_.queues[q].used.data()));
    owed += slices[q].share;
  }
  for (auto& own : slices) {
    own.share = owed > 0 ? own.share / owed : 0.0;
    for (const auto amount : unused)
      own.left.push_back(static_cast<std::int64_t>(static_cast<double>(amount) * own.share));
  }
  return slices;
}

bool round_engine::try_gang(gang& g, std::uint32_t queue, slice& own) {
  if (discarded(g)) return false;
  const auto outcome = attempt(g, queue);
  if (outcome != reason::placed) {
    refuse(g, outcome);
    return false;
  }
  accept(g, queue);
  for (const auto& o : g.offers) {
    if (o.left_out) continue;
    const auto* request = t_.amounts(o.shape);
    for (std::uint32_t d = 0; d < t_.dims; ++d)
      own.left[d] = std::max<std::int64_t>(0, own.left[d] - request[d]);
  }
  return true;
}

void round_engine::fill_slice(contest& streams, std::uint32_t queue, slice& own) {
  for (std::uint32_t tries = 0; tries < conf_.slice_batch; ++tries) {
    auto* g = streams.head_of(queue);
    if (g == nullptr) return;
    bool within = true;
    for (std::uint32_t d = 0; d < t_.dims; ++d) within = within && g->total[d] <= own.left[d];
    if (within)
      static_cast<void>(try_gang(*g, queue, own));
    else
      own.deferred.push_back(*g);
    streams.drop_head(queue);
  }
}

void round_engine::draw_lots(contest& streams) {
  auto slices = cut_slices(streams);
  if (conf_.selection == queue_selection::slices_then_lottery)
    for (std::uint32_t q = 0; q < slices.size(); ++q) fill_slice(streams, q, slices[q]);
  auto state = params_.seed;
  std::vector<double> chances(slices.size());
  while (true) {
    double sum = 0;
    for (std::uint32_t q = 0; q < slices.size(); ++q) {
      const auto waits =
          slices[q].next < slices[q].deferred.size() || streams.head_of(q) != nullptr;
      chances[q] = waits ? sums_.cost(slices[q].left.data()) : 0.0;
      sum += chances[q];
    }
    if (sum <= 0) {
      // The slices are used up: the queues that still wait draw by their part of the whole.
      for (std::uint32_t q = 0; q < slices.size(); ++q) {
        const auto waits =
            slices[q].next < slices[q].deferred.size() || streams.head_of(q) != nullptr;
        chances[q] = waits ? 1.0 / usage_priority(q) : 0.0;
        sum += chances[q];
      }
    }
    if (sum <= 0) return;
    auto lot = draw(state) * sum;
    std::uint32_t winner = none;
    for (std::uint32_t q = 0; q < slices.size(); ++q) {
      if (chances[q] <= 0) continue;
      winner = q;
      if (lot < chances[q]) break;
      lot -= chances[q];
    }
    auto& own = slices[winner];
    if (own.next < own.deferred.size()) {
      static_cast<void>(try_gang(own.deferred[own.next++], winner, own));
    } else {
      static_cast<void>(try_gang(*streams.head_of(winner), winner, own));
      streams.drop_head(winner);
    }
  }
}

}  // namespace argosy::scheduling::engine
