// SPDX-License-Identifier: Apache-2.0
// A pass: the queues' gangs are tried in turn until none is left.
#include <algorithm>
#include <cmath>

#include "runtime/base/at_work.hpp"
#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

bool ends_round(reason why) {
  return why == reason::max_resources_per_round || why == reason::global_rate_limit ||
         why == reason::round_time_limit;
}

bool ends_queue(reason why) {
  return why == reason::queue_cordoned || why == reason::queue_rate_limit ||
         why == reason::queue_time_limit;
}

bool round_engine::discarded(const gang& g) const {
  return std::any_of(g.offers.begin(), g.offers.end(), [&](const offer& o) {
    return o.home != none && (nodes_.state(o.job).flags & pushed_out) != 0;
  });
}

void round_engine::compete(contest& streams) {
  bool rationed = false;
  bool resumed = false;
  while (!search_.stuck()) {
    if (!rationed && books_.preemption_tokens < 1 && !conf_.hard_preemption_budget) {
      rationed = true;  // All evicted jobs that can come back do so first.
      streams.close();
    }
    auto* g = streams.head();
    if (g == nullptr) {
      if (!rationed || resumed || ended_) break;
      resumed = true;
      streams.reopen();
      continue;
    }
    if (discarded(*g)) {
      refuse(*g, reason::gang_incomplete);
      streams.advance();
      continue;
    }
    const auto queue = streams.head_rank().queue;
    const auto outcome = attempt(*g, queue);
    if (outcome == reason::placed)
      accept(*g, queue);
    else
      refuse(*g, outcome);
    streams.advance();
    for (const auto lighter : lightened_) streams.lighten(lighter);
    lightened_.clear();
    if (ends_round(outcome)) {
      ended_ = true;
      streams.close();
    } else if (ends_queue(outcome)) {
      streams.close_queue(queue, outcome);
    }
  }
  ended_ = true;
}

reason round_engine::attempt(gang& g, std::uint32_t queue) {
  const at_job noted{t_.jobs[g.offers.front().job].id};
  if (!g.returning && books_.over_round_cap()) return reason::max_resources_per_round;
  // From here on the gang counts as if it ran already.
  for (const auto& o : g.offers) books_.charge(queue, o.shape, +1, o.home == none);
  auto outcome = g.returning ? reason::placed : barred(g, queue);
  if (!g.returning && !floating_holders_.empty()) find_at_stake();
  if (outcome == reason::placed && t_.dims > t_.node_dims && !books_.queues[queue].away &&
      lacks_floating(g))
    outcome = reason::resource_limit;
  if (outcome == reason::placed) outcome = place(g);
  if (outcome == reason::placed) return outcome;
  for (const auto& o : g.offers) books_.charge(queue, o.shape, -1, o.home == none);
  if (g.returning && conf_.return_room_only) give_up_room(g);
  if (outcome == reason::gang_does_not_fit && g.offers.size() == 1) {
    outcome = reason::job_does_not_fit;
    // Where a gang was spared, a queue that is owed more may find room.
    const auto shape = g.offers.front().shape;
    if (!g.returning && losses_.spares_any())
      heads_.known_misfits().note_for(queue, shape);
    else if (!g.returning)
      heads_.known_misfits().note(shape);
  }
  return outcome;
}

bool round_engine::lacks_floating(const gang& g) {
  const auto floats = std::any_of(g.total.begin() + t_.node_dims, g.total.end(),
                                  [](auto amount) { return amount != 0; });
  if (!floats) return false;
  // What there is may be less than what runs: that alone takes nothing away.
  if (g.returning && conf_.return_room_only) return books_.floating_lost();
  if (books_.floating_short()) return true;
  return !at_stake_.empty() && static_cast<double>(at_stake_.size()) > books_.preemption_tokens;
}

void round_engine::find_at_stake() {
  at_stake_.clear();
  if (!conf_.hard_preemption_budget || std::isinf(books_.preemption_tokens)) return;
  auto& held = held_floating_;
  held.assign(t_.dims, 0);
  const auto waits = [&](std::uint32_t job) { return (nodes_.state(job).flags & holds_room) != 0; };
  for (const auto job : floating_holders_) {
    if (!waits(job)) continue;
    for (auto d = t_.node_dims; d < t_.dims; ++d) held[d] += t_.amounts(shape_of(job))[d];
  }
  for (const auto job : floating_holders_) {
    if (!waits(job)) continue;
    bool loses = false;
    for (auto d = t_.node_dims; d < t_.dims; ++d)
      loses = loses || (t_.amounts(shape_of(job))[d] != 0 && books_.floating_lost(d, held[d]));
    if (!loses) continue;
    at_stake_.insert(job);
    if (t_.jobs[job].gang == none) continue;
    for (const auto mate : t_.gangs[t_.jobs[job].gang].members)
      if (waits(mate)) at_stake_.insert(mate);
  }
}

void round_engine::give_up_room(const gang& g) {
  for (const auto& o : g.offers) {
    nodes_.strike(o.job);
    nodes_.drop_evicted(o.job, o.shape);
    count_held(o.job, o.shape, -1);
    causes_.push_back({preemption_cause::not_returned, none});
    nodes_.state(o.job).cause = static_cast<std::uint32_t>(causes_.size());
  }
  books_.preemption_tokens -= static_cast<double>(g.offers.size());
  plan_.preemption_tokens_used += g.offers.size();
}

reason round_engine::barred(const gang& g, std::uint32_t queue) {
  auto& book = books_.queues[queue];
  const auto size = static_cast<double>(g.offers.size());
  // A gang may take more tokens than there are. In Armada it waits for all that it takes, and
  // whether it ever can is asked after that.
  const auto in_debt = conf_.base != preset::current;
  if (in_debt && size > 1 && conf_.burst < size) return reason::gang_exceeds_burst;
  if (in_debt && size > 1 && conf_.queue_burst < size) return reason::gang_exceeds_queue_burst;
  if (books_.tokens < 1) return reason::global_rate_limit;
  if (conf_.burst < size) return reason::gang_exceeds_burst;
  if (!in_debt && books_.tokens < size) return reason::gang_above_tokens;
  if (book.tokens < 1) return reason::queue_rate_limit;
  if (conf_.queue_burst < size) return reason::gang_exceeds_queue_burst;
  if (!in_debt && book.tokens < size) return reason::gang_above_queue_tokens;
  // Nearly all rounds have none of these limits.
  const auto& more = new_amounts_;
  if (!books_.resource_tokens.empty() || !book.resource_tokens.empty() || !book.total_limit.empty())
    sum_new_amounts(g);
  if (books::lacks_tokens(books_.resource_tokens, more)) return reason::resource_rate_limit;
  if (books::lacks_tokens(book.resource_tokens, more)) return reason::queue_resource_rate_limit;
  if (conf_.max_new_decisions != 0 && decisions_ >= conf_.max_new_decisions)
    return reason::round_time_limit;
  if (conf_.max_new_decisions_queue != 0 && book.decisions >= conf_.max_new_decisions_queue)
    return reason::queue_time_limit;
  ++decisions_;
  ++book.decisions;
  const auto class_name = t_.shapes[g.offers.front().shape].class_name;
  if (books_.over_limit(queue, class_name)) return reason::queue_limit;
  // Evicted jobs that may return count as well: their return is not asked for the limit again.
  if (!book.total_limit.empty() && books_.over_total(queue, totals_.amounts(queue), more))
    return reason::queue_total_limit;
  return reason::placed;
}

void round_engine::sum_new_amounts(const gang& g) {
  new_amounts_.assign(t_.dims, 0);
  for (const auto& o : g.offers)
    for (std::uint32_t d = 0; d < t_.dims && o.home == none; ++d)
      new_amounts_[d] += t_.amounts(o.shape)[d];
}

void round_engine::accept(const gang& g, std::uint32_t queue) {
  if (!g.returning) {
    const auto size = static_cast<double>(g.offers.size());
    books_.tokens -= size;
    books_.queues[queue].tokens -= size;
    plan_.tokens_used += g.offers.size();
    books_.queues[queue].tokens_used += g.offers.size();
  }
  for (const auto& o : g.offers) {
    if (o.home != none) {
      ++returned_;
      if (second_) note_return(o);
      continue;
    }
    if (o.left_out) {
      books_.charge(queue, o.shape, -1, true);
      left_out_.push_back(o.job);
      continue;
    }
    books_.take_tokens(queue, o.shape);
    const auto away = o.priority != conf_.classes[t_.shapes[o.shape].class_index].priority;
    placed_.push_back({o.job, o.shape, away});
  }
}

void round_engine::note_return(const offer& o) {
  if (lowest_return_[o.home] < o.priority) reshuffled_[o.home] = 1;
  lowest_return_[o.home] = std::min(lowest_return_[o.home], o.priority);
}

void round_engine::refuse(const gang& g, reason why) {
  for (const auto& o : g.offers)
    if (o.home == none) plan_.refusals.push_back({o.job, why});
}

void round_engine::report_rest(contest& streams) {
  plan_.refusals.insert(plan_.refusals.end(), heads_.refusals().begin(), heads_.refusals().end());
  for (const auto& [key, jobs] : streams.skipped()) {
    skip_count skip;
    skip.queue = static_cast<std::uint32_t>(key >> 32);
    skip.shape = static_cast<std::uint32_t>(key);
    skip.jobs = jobs;
    plan_.skips.push_back(skip);
  }
  for (std::uint32_t q = 0; q < books_.queues.size(); ++q) {
    const auto unseen = streams.unseen(q);
    if (unseen == 0) continue;
    skip_count skip;
    skip.queue = books_.queues[q].slot;
    skip.code = streams.why_unseen(q);
    skip.jobs = unseen;
    plan_.skips.push_back(skip);
  }
  std::sort(plan_.skips.begin(), plan_.skips.end(), [](const auto& a, const auto& b) {
    return std::pair(a.queue, a.shape) < std::pair(b.queue, b.shape);
  });
  std::vector<offer> waiting;
  streams.incomplete(waiting);
  std::sort(waiting.begin(), waiting.end(),
            [](const auto& a, const auto& b) { return a.job < b.job; });
  for (const auto& o : waiting)
    plan_.refusals.push_back({o.job, streams.why_waiting(books_.of(o.job), o)});
}

}  // namespace argosy::scheduling::engine
