// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/lots.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/scheduling/engine/mixing.hpp"

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

lots::lots(const tables& t, const config& conf, const books& sums, contest& streams, starter& turns)
    : t_(t),
      conf_(conf),
      books_(sums),
      streams_(streams),
      turns_(turns),
      slices_(sums.queues.size()) {}

double lots::part_of(std::uint32_t queue) const {
  const auto& book = books_.queues[queue];
  const auto priority = book.usage / book.weight;
  return conf_.slices == slice_share::inverse ? 1.0 / priority : priority;
}

void lots::cut_slices() {
  const auto unused = books_.unused();
  auto shared = unused;  // What the queues that get a slice use, plus what is free.
  double weights = 0;
  for (std::uint32_t q = 0; q < slices_.size(); ++q) {
    if (books_.queues[q].cordoned || streams_.head_of(q) == nullptr) continue;
    slices_[q].share = part_of(q);
    weights += slices_[q].share;
    for (std::uint32_t d = 0; d < books_.dims; ++d) shared[d] += books_.queues[q].used[d];
  }
  // A queue is owed its part of that, less what it uses already.
  const auto worth = books_.cost(shared.data());
  double owed = 0;
  for (std::uint32_t q = 0; q < slices_.size(); ++q) {
    if (slices_[q].share <= 0) continue;
    const auto part = worth * slices_[q].share / weights;
    slices_[q].share = std::max(0.0, part - books_.cost(books_.queues[q].used.data()));
    owed += slices_[q].share;
  }
  for (auto& own : slices_) {
    own.share = owed > 0 ? own.share / owed : 0.0;
    for (const auto amount : unused)
      own.left.push_back(whole_steps(static_cast<double>(amount) * own.share));
  }
}

reason lots::try_gang(gang& g, std::uint32_t queue) {
  const auto outcome = turns_.give_turn(g, queue);
  if (outcome != reason::placed) return outcome;
  auto& own = slices_[queue];
  for (const auto& o : g.offers) {
    if (o.left_out) continue;
    const auto* request = t_.amounts(o.shape);
    for (std::uint32_t d = 0; d < books_.dims; ++d)
      own.left[d] = std::max<std::int64_t>(0, own.left[d] - request[d]);
  }
  return outcome;
}

void lots::give_up(slice& own, reason why) {
  std::vector<gang> kept;
  for (; own.next < own.deferred.size(); ++own.next) {
    auto& g = own.deferred[own.next];
    if (g.returning)
      kept.push_back(std::move(g));
    else
      turns_.refuse(g, why);
  }
  own.deferred = std::move(kept);
  own.next = 0;
}

void lots::end_lots(std::uint32_t queue, reason outcome) {
  if (ends_round(outcome)) {
    ended_ = true;
    streams_.close(outcome);
    for (auto& own : slices_) give_up(own, outcome);
  } else if (ends_queue(outcome)) {
    streams_.close_queue(queue, outcome);
    give_up(slices_[queue], outcome);
  }
}

bool lots::take_turn(std::uint32_t queue) {
  auto& own = slices_[queue];
  while (own.misses < conf_.slice_batch) {
    auto* g = streams_.head_of(queue);
    if (g == nullptr) return false;
    bool within = true;
    for (std::uint32_t d = 0; d < books_.dims; ++d) within = within && g->total[d] <= own.left[d];
    auto outcome = reason::job_does_not_fit;
    if (within)
      outcome = try_gang(*g, queue);
    else
      own.deferred.push_back(*g);
    streams_.drop_head(queue);
    end_lots(queue, outcome);
    if (outcome == reason::placed) return true;
    ++own.misses;
  }
  return false;
}

void lots::fill_slices() {
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t q = 0; q < slices_.size(); ++q) any = take_turn(q) || any;
  }
}

double lots::weigh() {
  double sum = 0;
  // When the slices are used up, the queues that still wait draw with the parts by which slices
  // were cut.
  for (const bool by_claim : {false, true}) {
    if (sum > 0) break;
    for (std::uint32_t q = 0; q < slices_.size(); ++q) {
      const auto waits =
          slices_[q].next < slices_[q].deferred.size() || streams_.head_of(q) != nullptr;
      chances_[q] = !waits ? 0.0 : by_claim ? part_of(q) : slices_[q].worth;
      sum += chances_[q];
    }
  }
  return sum;
}

std::uint32_t lots::winner_of(std::uint64_t& state, double sum) const {
  auto lot = unit_interval(split_mix(state)) * sum;
  state += golden_step;
  std::uint32_t winner = none;
  for (std::uint32_t q = 0; q < slices_.size(); ++q) {
    if (chances_[q] <= 0) continue;
    winner = q;
    if (lot < chances_[q]) break;
    lot -= chances_[q];
  }
  return winner;
}

std::uint64_t lots::draw(const round_params& params) {
  cut_slices();
  if (conf_.selection == queue_selection::slices_then_lottery) fill_slices();
  for (auto& own : slices_) own.worth = books_.cost(own.left.data());
  auto state = params.seed;
  chances_.assign(slices_.size(), 0);
  std::uint64_t drawn = 0;
  std::uint64_t limit = 0;
  while (true) {
    const auto sum = weigh();
    if (sum <= 0) return limit;
    const auto winner = winner_of(state, sum);
    auto& own = slices_[winner];
    auto outcome = reason::placed;
    if (own.next < own.deferred.size()) {
      outcome = try_gang(own.deferred[own.next++], winner);
    } else {
      outcome = try_gang(*streams_.head_of(winner), winner);
      streams_.drop_head(winner);
    }
    if (outcome == reason::placed) own.worth = books_.cost(own.left.data());
    end_lots(winner, outcome);
    ++drawn;
    if (ended_ || (drawn != params.draw_limit && !(params.draws_end && params.draws_end())))
      continue;
    limit = drawn;
    end_lots(winner, reason::draw_time_limit);
  }
}

}  // namespace argosy::scheduling::engine
