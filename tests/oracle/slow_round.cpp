// SPDX-License-Identifier: Apache-2.0
// This part of the slow oracle runs the steps of a round, brings victims back, and cuts slices and
// draws lots.
#include "tests/oracle/slow_round.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {

std::vector<std::string> slow_round::run() {
  evict();
  number();
  if (rules_.slices)
    draw_lots();
  else
    compete();
  bring_back();
  std::vector<std::string> lines;
  std::set<std::string> started;  // The gangs that have started, with their queues.
  for (std::size_t j = 0; j < now_.size(); ++j) {
    const auto& row = w_.jobs[j];
    const bool stands = now_[j].where == place::bound;
    if (runs(j) && !stands) lines.push_back("P " + row.id + " " + w_.nodes[*row.node].id);
    if (row.node || !stands) continue;
    lines.push_back("S " + row.id + " " + w_.nodes[now_[j].node].id + " " +
                    std::to_string(now_[j].at));
    if (!row.gang.empty()) started.insert(row.queue + " " + row.gang);
  }
  // A gang that was placed and pushed out again does not do without any member.
  for (const auto j : left_out_)
    if (started.contains(w_.jobs[j].queue + " " + w_.jobs[j].gang))
      lines.push_back("F " + w_.jobs[j].id);
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Gives jobs that were pushed out their places back where nobody took the room, beginning with the
/// best entitled one. Members of a gang return together or not at all.
void slow_round::bring_back() {
  std::vector<std::size_t> lost;
  for (std::size_t j = 0; j < now_.size(); ++j)
    if (runs(j) && now_[j].where == place::out) lost.push_back(j);
  const auto key = [&](std::size_t j) {
    return std::tuple(!come_back_[j], come_back_[j].value_or(0), w_.jobs[j].id);
  };
  std::sort(lost.begin(), lost.end(), [&](auto a, auto b) { return key(a) < key(b); });
  for (const auto j : lost) {
    if (now_[j].where != place::out) continue;
    auto p = now_;
    bool all = true;
    for (const auto mate : mates(j)) {
      if (!runs(mate) || p[mate].where != place::out) continue;
      all = all && fits(w_.jobs[mate].request, room(p, p[mate].node));
      p[mate].where = place::bound;
    }
    // Nor does the return of the job take its queue above what it may use of all classes.
    for (const auto& a : accounts_) {
      if (a.row->name != w_.jobs[j].queue) continue;
      const auto held = held_by(a, p);
      for (std::size_t i = 0; i < all_amounts; ++i)
        all = all && held[i] <= std::max(total_limit(a)[i], a.used_before[i]);
    }
    if (all && licences_taken(p) <= licences_most()) now_ = p;
  }
}

/// Returns the queue's decayed usage, if that counts, divided by its weight.
double slow_round::claim(std::size_t queue) const {
  const auto& a = accounts_[queue];
  const auto usage = rules_.usage_priority ? std::max(0.5, a.row->usage) : 1.0;
  return usage / a.weight;
}

/// Returns the number to which a queue's slice is proportional. It is also the queue's chance in
/// the lottery once all slices are used up.
double slow_round::part_of(std::size_t queue) const {
  return w_.rules.direct_slices ? claim(queue) : 1.0 / claim(queue);
}

/// Returns the whole steps of a part. A part that computing with doubles has made slightly less
/// than a whole number counts as that number.
std::int64_t slow_round::steps_of(double part) {
  const auto nearest = std::round(part);
  const auto whole = std::abs(part - nearest) <= 1e-9 * (1 + part) ? nearest : std::floor(part);
  return static_cast<std::int64_t>(whole);
}

std::vector<slow_round::slice> slow_round::cut_slices() {
  amounts held{};
  for (const auto& a : accounts_) held = plus(held, a.used);
  for (const auto& j : w_.jobs)
    if (j.stopping) held = plus(held, j.request);
  amounts unused{};
  for (std::size_t i = 0; i < all_amounts; ++i)
    unused[i] = std::max<std::int64_t>(0, total_[i] - held[i]);
  const auto waits = [&](std::size_t q) { return streams_[q].head && !accounts_[q].row->cordoned; };
  std::vector<slice> slices(accounts_.size());
  // What is shared between the queues that get a slice is what they use and what is free.
  auto shared = unused;
  double sum = 0;
  for (std::size_t q = 0; q < slices.size(); ++q) {
    if (!waits(q)) continue;
    slices[q].part = part_of(q);
    sum += slices[q].part;
    shared = plus(shared, accounts_[q].used);
  }
  const auto whole = cost(shared);
  double owed = 0;
  for (std::size_t q = 0; q < slices.size(); ++q) {
    if (!waits(q)) continue;
    slices[q].part = std::max(0.0, whole * slices[q].part / sum - cost(accounts_[q].used));
    owed += slices[q].part;
  }
  for (auto& own : slices) {
    own.part = owed > 0 ? own.part / owed : 0.0;
    for (std::size_t i = 0; i < all_amounts; ++i)
      own.left[i] = steps_of(static_cast<double>(unused[i]) * own.part);
  }
  return slices;
}

/// Tries to place a band, and takes what it uses off the slice if it is placed.
answer slow_round::try_in_slice(std::size_t queue, const band& g, slice& own) {
  for (const auto j : g.jobs)
    if (now_[j].where == place::out) return answer::refused;
  const auto outcome = attempt(queue, g);
  if (outcome != answer::placed) return outcome;
  for (const auto j : g.jobs)
    if (now_[j].where == place::bound)
      for (std::size_t i = 0; i < all_amounts; ++i)
        own.left[i] = std::max<std::int64_t>(0, own.left[i] - w_.jobs[j].request[i]);
  return outcome;
}

/// Notes that a queue has ended; it draws no lots for new gangs any more.
void slow_round::end_lots(std::vector<slice>& slices, std::size_t queue, answer outcome) {
  for (std::size_t q = 0; q < slices.size(); ++q) {
    if (outcome != answer::ends_round && (outcome != answer::ends_queue || q != queue)) continue;
    close(streams_[q]);
    auto& waiting = slices[q].deferred;
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(slices[q].next));
    slices[q].next = 0;
    std::erase_if(waiting, [](const band& g) { return !g.returning; });
  }
}

/// Takes one turn of a queue: it goes down its list until a gang is placed. Returns false if none
/// was.
bool slow_round::takes_turn(std::size_t queue, std::vector<slice>& slices) {
  auto& s = streams_[queue];
  auto& own = slices[queue];
  while (own.misses < w_.rules.slice_batch) {
    fill_head(queue);
    if (!s.head) return false;
    const auto g = *s.head;
    amounts sum{};
    for (const auto j : g.jobs) sum = plus(sum, w_.jobs[j].request);
    bool within = true;
    for (std::size_t i = 0; i < all_amounts; ++i) within = within && sum[i] <= own.left[i];
    s.head.reset();
    auto outcome = answer::no_fit;
    if (within)
      outcome = try_in_slice(queue, g, own);
    else
      own.deferred.push_back(g);
    end_lots(slices, queue, outcome);
    if (outcome == answer::placed) return true;
    ++own.misses;
  }
  return false;
}

void slow_round::draw_lots() {
  open_streams(true);
  close_cordoned();
  fill_heads();
  auto slices = cut_slices();
  for (bool any = !w_.rules.lottery_only; any;) {
    any = false;
    for (std::size_t q = 0; q < slices.size(); ++q) any = takes_turn(q, slices) || any;
  }
  auto state = w_.rules.seed;
  while (true) {
    std::vector<double> chances(slices.size(), 0);
    double sum = 0;
    for (const bool by_claim : {false, true}) {
      if (sum > 0) break;
      for (std::size_t q = 0; q < slices.size(); ++q) {
        const bool draws_deferred = slices[q].next < slices[q].deferred.size();
        if (!draws_deferred) fill_head(q);
        if (!draws_deferred && !streams_[q].head) continue;
        chances[q] = by_claim ? part_of(q) : cost(slices[q].left);
        sum += chances[q];
      }
    }
    if (sum <= 0) return;
    auto lot = static_cast<double>(draw_random(state) >> 11) * 0x1p-53 * sum;
    std::optional<std::size_t> winner;
    for (std::size_t q = 0; q < slices.size(); ++q) {
      if (chances[q] <= 0) continue;
      winner = q;
      if (lot < chances[q]) break;
      lot -= chances[q];
    }
    auto& own = slices[*winner];
    band g;
    if (own.next < own.deferred.size()) {
      g = own.deferred[own.next++];
    } else {
      g = *streams_[*winner].head;
      streams_[*winner].head.reset();
    }
    end_lots(slices, *winner, try_in_slice(*winner, g, own));
  }
}

std::vector<std::string> decide(const world& w) {
  return slow_round(w).run();
}

}  // namespace argosy::oracle
