// SPDX-License-Identifier: Apache-2.0
// This part of the slow oracle decides who is evicted, in which order the evicted jobs would
// return, and whose turn it is.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {

/// The step by which SplitMix64 advances its state.
constexpr std::uint64_t random_step = 0x9e3779b97f4a7c15u;

std::uint64_t next_random(std::uint64_t state) {
  auto mixed = state + random_step;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

std::uint64_t draw_random(std::uint64_t& state) {
  const auto number = next_random(state);
  state += random_step;
  return number;
}

/// Whether what runs on the node may be evicted in this round.
bool slow_round::drawn(std::size_t node) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto c : w_.nodes[node].id)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  const auto lot = next_random(w_.rules.seed ^ next_random(hash));
  return static_cast<double>(lot >> 11) * 0x1p-53 < w_.rules.eviction_probability;
}

/// Whether the preset lets jobs of its class be evicted now.
bool slow_round::wanted(std::size_t job) const {
  if (!rules_.evicts_contested) return true;
  for (std::size_t j = 0; j < w_.jobs.size(); ++j) {
    const auto& other = w_.jobs[j];
    if (!is_queued(j) || other.queue == w_.jobs[job].queue) continue;
    for (const auto& queue : w_.queues)
      if (queue.name == other.queue && !queue.cordoned &&
          class_of(j).priority == class_of(job).priority)
        return true;
  }
  return false;
}

/// Whether a queue that uses so much gives nothing up.
bool slow_round::is_protected(const account& a, double with) const {
  const auto fraction = w_.rules.protected_fraction.value_or(rules_.protected_fraction);
  const auto share = w_.rules.protect_uncapped ? a.uncapped : std::max(a.capped, a.fair);
  return !(with / share > fraction);
}

void slow_round::evict() {
  if (!rules_.evicts || w_.rules.no_fair_share) return;
  std::vector<std::size_t> leaving;
  for (std::size_t j = 0; j < w_.jobs.size(); ++j) {
    if (!runs(j) || !known_queue(w_.jobs[j].queue)) continue;
    const auto& a = accounts_[number_of_queue_.at(w_.jobs[j].queue)];
    bool any_drawn = false;
    for (const auto mate : mates(j))
      any_drawn = any_drawn || (runs(mate) && drawn(*w_.jobs[mate].node) && wanted(mate));
    if (!is_protected(a, cost(a.used_before)) && any_drawn && !keeps_balance_place(j))
      leaving.push_back(j);
  }
  for (const auto j : leaving) {
    now_[j].where = place::evicted;
    charge(j, -1, false);
  }
}

bool slow_round::runs_before(std::size_t a, std::size_t b) const {
  const auto key = [&](std::size_t j) {
    const auto& row = w_.jobs[j];
    return std::tuple(rules_.class_in_queue ? -class_of(j).priority : 0, row.priority, row.created,
                      row.submitted, row.id);
  };
  return key(a) < key(b);
}

bool slow_round::queued_before(std::size_t a, std::size_t b) const {
  const auto key = [&](std::size_t j) {
    const auto& row = w_.jobs[j];
    return std::tuple(rules_.class_in_queue ? -class_of(j).priority : 0, row.priority,
                      row.submitted, row.id);
  };
  return key(a) < key(b);
}

void slow_round::open_streams(bool with_queued) {
  streams_.assign(accounts_.size(), {});
  for (std::size_t j = 0; j < w_.jobs.size(); ++j) {
    if (!known_queue(w_.jobs[j].queue)) continue;
    auto& s = streams_[number_of_queue_.at(w_.jobs[j].queue)];
    if (now_[j].where == place::evicted) s.evicted.push_back(j);
    if (with_queued && is_queued(j)) s.queued.push_back(j);
  }
  for (auto& s : streams_) {
    std::sort(s.evicted.begin(), s.evicted.end(), [&](auto a, auto b) {
      return rules_.evicted_first ? runs_before(a, b) : queued_before(a, b);
    });
    std::sort(s.queued.begin(), s.queued.end(),
              [&](auto a, auto b) { return queued_before(a, b); });
  }
}

bool slow_round::has_lost(std::size_t job) const {
  return !rules_.slices && runs(job) && now_[job].where == place::out;
}

/// Returns the next job of the queue's stream; nothing if there is none.
std::optional<std::size_t> slow_round::fetch(std::size_t queue) {
  auto& s = streams_[queue];
  while (true) {
    while (s.next_evicted < s.evicted.size() && has_lost(s.evicted[s.next_evicted]))
      ++s.next_evicted;
    if (w_.rules.lookback != 0 && s.looked_at >= w_.rules.lookback) s.closed = true;
    const bool old_left = s.next_evicted < s.evicted.size();
    const bool new_left = !s.closed && s.next_queued < s.queued.size();
    if (!old_left && !new_left) return std::nullopt;
    const bool takes_old =
        old_left && (!new_left || rules_.evicted_first ||
                     !queued_before(s.queued[s.next_queued], s.evicted[s.next_evicted]));
    if (takes_old) return s.evicted[s.next_evicted++];
    const auto job = s.queued[s.next_queued++];
    if (w_.rules.feasible_heads) return job;
    // Each job counts when it comes, whether its band is complete or not.
    ++s.looked_at;
    if (!is_misfit({{job}, false})) return job;
  }
}

/// Whether a job of the band is like one that fitted nowhere, and the band cannot start without it.
bool slow_round::is_misfit(const band& g) const {
  return std::any_of(g.jobs.begin(), g.jobs.end(), [&](std::size_t job) {
    const auto& row = w_.jobs[job];
    const bool spared = !row.gang.empty() && row.minimum != 0 && row.minimum < row.cardinality;
    const auto known =
        misfits_.contains(memo_key(job)) || misfits_.contains(row.queue + " " + memo_key(job));
    return !spared && known;
  });
}

void slow_round::offer(std::size_t queue, band g) {
  auto& s = streams_[queue];
  if (w_.rules.feasible_heads && !g.returning) {
    if (!feasible(queue, g)) return;
    s.looked_at += g.jobs.size();
    if (is_misfit(g)) return;
  }
  s.head = std::move(g);
}

/// Fetches jobs until the queue has a complete band to offer, or no job is left.
void slow_round::fill_head(std::size_t queue) {
  auto& s = streams_[queue];
  if (s.head && has_lost(s.head->jobs.front())) s.head.reset();
  while (!s.head) {
    const auto job = fetch(queue);
    if (!job) return;
    const bool old = runs(*job);
    const auto& gang = w_.jobs[*job].gang;
    std::size_t members = 1;
    if (!gang.empty() && old) {
      // An evicted gang is complete when its evicted members have come.
      members = 0;
      for (const auto mate : mates(*job))
        members += std::count(s.evicted.begin(), s.evicted.end(), mate) > 0 ? 1 : 0;
    } else if (!gang.empty()) {
      members = w_.jobs[*job].cardinality;
    }
    if (gang.empty()) {
      offer(queue, {{*job}, old});
      continue;
    }
    auto& crowd = s.waiting[{gang, old}];
    crowd.push_back(*job);
    if (crowd.size() != members) continue;
    offer(queue, {std::exchange(crowd, {}), old});
  }
}

void slow_round::fill_heads() {
  for (std::size_t q = 0; q < streams_.size(); ++q) fill_head(q);
}

/// Ends the stream for new jobs; evicted ones still come.
void slow_round::close(stream& s) {
  s.closed = true;
  if (s.head && !s.head->returning) s.head.reset();
}

/// Takes what cordoned queues have queued out of their streams, so that it has no turn.
void slow_round::close_cordoned() {
  for (std::size_t q = 0; q < streams_.size(); ++q)
    if (accounts_[q].row->cordoned) close(streams_[q]);
}

std::vector<amounts> slow_round::used_now() const {
  std::vector<amounts> used;
  for (const auto& a : accounts_) used.push_back(a.used);
  return used;
}

/// Returns when the band has its turn, if the queues use this much.
turn_rank slow_round::rank_of(std::size_t queue, const band& g,
                              const std::vector<amounts>& used) const {
  const auto& own = accounts_[queue];
  int lowest = std::numeric_limits<int>::max();
  amounts gang{};
  for (const auto j : g.jobs) {
    lowest = std::min(lowest, class_of(j).priority);
    gang = plus(gang, w_.jobs[j].request);
  }
  const auto before = plus(used[queue], own.row->penalty);
  auto with = cost(plus(before, gang));
  // A band that crosses the share comes right after those that end at it.
  const bool crosses = w_.rules.rank_at_share && cost(before) < own.capped * (1 - 1e-9) &&
                       with > own.capped * (1 + 1e-9);
  if (crosses) with = own.capped * (1 + 1e-9);
  with /= own.turn_weight;
  // Levels that are equal but for rounding are equal.
  if (crosses) {
    const auto unit = std::exp2(std::floor(std::log2(with)) - 39);
    with = std::round(with / unit) * unit;
  }
  const int class_rank = rules_.class_first ? -lowest : 0;
  const bool starts = !g.returning;
  // What runs within the share of its queue comes back first, whatever the queue used lately.
  if (usage_orders() && g.returning && is_protected(own, cost(plus(used[queue], gang))))
    return {class_rank, -1, with, 0.0, starts, own.row->name};
  if (!w_.rules.prefer_large) return {class_rank, 0, with, 0.0, starts, own.row->name};
  if (with > own.capped / own.turn_weight) return {class_rank, 1, with, 0.0, starts, own.row->name};
  return {class_rank,   0, cost(before) / own.turn_weight, -(cost(gang) * own.turn_weight), starts,
          own.row->name};
}

std::optional<std::size_t> slow_round::next_queue(const std::vector<amounts>& used) const {
  std::optional<std::size_t> first;
  const auto rank = [&](std::size_t q) { return rank_of(q, *streams_[q].head, used); };
  for (std::size_t q = 0; q < streams_.size(); ++q)
    if (streams_[q].head && (!first || rank(q) < rank(*first))) first = q;
  return first;
}

void slow_round::number() {
  // Where evicted and queued jobs of a queue stand in one order, the queued ones that may start
  // take their turns here as well.
  open_streams(!rules_.evicted_first);
  close_cordoned();
  auto used = used_now();
  std::vector<std::size_t> order;
  std::optional<turn_rank> latest;
  std::map<std::size_t, turn_rank> keys;
  fill_heads();
  while (const auto q = next_queue(used)) {
    const auto turn = rank_of(*q, *streams_[*q].head, used);
    latest = latest ? std::max(*latest, turn) : turn;
    for (const auto j : streams_[*q].head->jobs) {
      if (runs(j)) {
        order.push_back(j);
        keys[j] = *latest;
      }
      used[*q] = plus(used[*q], w_.jobs[j].request);
    }
    streams_[*q].head.reset();
    fill_heads();
  }
  keys_ = std::move(keys);
  // A job that is bound at a higher priority is better entitled, whatever its turn.
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return now_[a].at > now_[b].at; });
  for (std::size_t number = 0; number < order.size(); ++number) come_back_[order[number]] = number;
}

void slow_round::compete() {
  open_streams(true);
  close_cordoned();
  fill_heads();
  while (const auto q = next_queue(used_now())) {
    const auto g = *streams_[*q].head;
    const auto outcome = attempt(*q, g);
    streams_[*q].head.reset();
    if (outcome == answer::ends_queue) close(streams_[*q]);
    if (outcome == answer::ends_round)
      for (auto& s : streams_) close(s);
    fill_heads();
  }
}

/// Tries to place a band, and charges its queue if it is placed.
answer slow_round::attempt(std::size_t queue, const band& g) {
  if (!g.returning) {
    const auto cap = fraction_of(w_.rules.round_cap);
    for (std::size_t i = 0; i < all_amounts; ++i)
      if (started_[i] > cap[i]) return answer::ends_round;
  }
  const auto licences = licences_of(g.jobs);
  if (g.returning && licences > 0 && licences_taken(now_) + licences > licences_most()) {
    // The gang cannot run without its licences, which others have now, so that it leaves its nodes.
    for (const auto j : g.jobs) now_[j].where = place::out;
    preemption_tokens_ -= static_cast<double>(g.jobs.size());
    return answer::refused;
  }
  for (const auto j : g.jobs) charge(j, +1, !g.returning);
  const auto outcome = g.returning ? answer::placed : barred(queue, g);
  const auto result = outcome == answer::placed ? place_gang(g) : outcome;
  if (result != answer::placed)
    for (const auto j : g.jobs) charge(j, -1, !g.returning);
  if (result == answer::no_fit && !g.returning && g.jobs.size() == 1)
    // Where a gang was spared, a queue that is owed more may find room.
    misfits_.insert((spares_any(queue) ? accounts_[queue].row->name + " " : "") +
                    memo_key(g.jobs.front()));
  if (result == answer::placed && !g.returning) {
    tokens_ -= static_cast<double>(g.jobs.size());
    accounts_[queue].tokens -= static_cast<double>(g.jobs.size());
  }
  return result;
}

/// Asks the limits for a band of new jobs. Returns `placed` if none stands in its way.
answer slow_round::barred(std::size_t queue, const band& g) {
  auto& own = accounts_[queue];
  const auto size = static_cast<double>(g.jobs.size());
  // A gang may take more tokens than there are, but not more than there can ever be.
  if (w_.rules.burst < size || w_.rules.queue_burst < size) return answer::refused;
  if (tokens_ < 1) return answer::ends_round;
  if (own.tokens < 1) return answer::ends_queue;
  if (w_.rules.decisions != 0 && decisions_ >= w_.rules.decisions) return answer::ends_round;
  if (w_.rules.queue_decisions != 0 && own.decisions >= w_.rules.queue_decisions)
    return answer::ends_queue;
  ++decisions_;
  ++own.decisions;
  const auto& class_name = w_.jobs[g.jobs.front()].class_name;
  const auto most = class_limit(own, class_name);
  for (std::size_t i = 0; i < all_amounts; ++i)
    if (own.by_class[class_name][i] > most[i]) return answer::refused;
  // Jobs that were evicted and may return count too, since nothing holds them back.
  const auto together = total_limit(own);
  amounts more{};
  for (const auto j : g.jobs)
    if (now_[j].where == place::waiting) more = plus(more, w_.jobs[j].request);
  const auto after = plus(held_by(own, now_), more);
  for (std::size_t i = 0; i < all_amounts; ++i)
    if (more[i] > 0 && after[i] > together[i]) return answer::refused;
  const auto licences = licences_of(g.jobs);
  if (licences == 0) return answer::placed;
  if (licences_taken(now_) + licences > w_.licences) return answer::refused;
  if (static_cast<double>(at_stake(g.jobs).size()) > preemption_tokens_) return answer::refused;
  return answer::placed;
}

std::int64_t slow_round::licences_of(const std::vector<std::size_t>& jobs) const {
  std::int64_t sum = 0;
  for (const auto j : jobs) sum += w_.jobs[j].request[node_amounts];
  return sum;
}

std::int64_t slow_round::licences_held(const picture& p, place where) const {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < p.size(); ++j)
    if (p[j].where == where) sum += w_.jobs[j].request[node_amounts];
  return sum;
}

std::int64_t slow_round::licences_taken(const picture& p) const {
  return licences_held(p, place::bound) + licences_held(p, place::leaving);
}

std::int64_t slow_round::licences_most() const {
  return std::max(w_.licences, licences_before_);
}

std::set<std::size_t> slow_round::at_stake(const std::vector<std::size_t>& starting) const {
  const auto wanted =
      licences_of(starting) + licences_taken(now_) + licences_held(now_, place::evicted);
  std::set<std::size_t> all;
  if (wanted <= licences_most()) return all;
  for (std::size_t j = 0; j < now_.size(); ++j) {
    if (now_[j].where != place::evicted || w_.jobs[j].request[node_amounts] == 0) continue;
    for (const auto mate : mates(j))
      if (now_[mate].where == place::evicted) all.insert(mate);
  }
  return all;
}

}  // namespace argosy::oracle
