// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/queue_probe.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/metrics/histogram.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::probes {

namespace {

using metrics::family_kind;

metrics::sample histogram_of(const ledger::wait_times& times, metrics::label_list labels) {
  return metrics::histogram_sample(std::move(labels), times.counts, ledger::wait_times::bounds_s, 1,
                                   times.sum_ns);
}

/// Adds the jobs that have ended, those without a run among them, which have no pool.
void show_ended(const queue_figures& queue, const ledger::queue_sums& sums,
                std::vector<metrics::sample>& out) {
  std::map<model::job_state, std::uint64_t> with_run;
  const auto add = [&](const std::string& pool, model::job_state state, const std::string& reason,
                       std::uint64_t jobs) {
    out.push_back({{{"queue", queue.queue},
                    {"pool", pool},
                    {"state", std::string{to_string(state)}},
                    {"reason", reason}},
                   static_cast<double>(jobs)});
  };
  for (const auto& [kind, jobs] : sums.ended) {
    const auto& [pool, state, reason] = kind;
    with_run[state] += jobs;
    add(pool, state, reason, jobs);
  }
  for (std::size_t i = 0; i < queue_probe::ends.size(); ++i) {
    const auto state = queue_probe::ends[i];
    const auto all = queue.ended[i].load(std::memory_order_relaxed);
    // The two numbers are read one after the other, so that the second may be ahead.
    if (all > with_run[state]) add("", state, "", all - with_run[state]);
  }
}

/// Adds, for these queues:
///   argosy_job_wait_seconds{queue,pool,priority_class}            histogram
///   argosy_job_schedule_delay_seconds{queue,pool,priority_class}  histogram
///   argosy_jobs_total{queue,pool,state,reason}
///   argosy_preemption_lost_seconds_total{pool,queue,resource}
///   argosy_failures_total{queue,category,subcategory}
void show_sums(const std::vector<const queue_figures*>& queues, metrics::family_list& out) {
  metrics::family waits{
      "argosy_job_wait_seconds",
      "Time from the submission of a job to the begin of its first run, since the queue was made.",
      family_kind::histogram,
      {}};
  metrics::family placings{
      "argosy_job_schedule_delay_seconds",
      "Time from when a job could start, at first or again, until it had a node.",
      family_kind::histogram,
      {}};
  metrics::family ended{"argosy_jobs_total",
                        "Jobs that have ended since their queue was made. The pool is that of the "
                        "last run, the reason the category of a failure.",
                        family_kind::counter,
                        {}};
  metrics::family lost{"argosy_preemption_lost_seconds_total",
                       "What preempted runs had requested (cores, bytes or pieces) times the "
                       "seconds that they had run.",
                       family_kind::counter,
                       {}};
  metrics::family failures{"argosy_failures_total",
                           "Runs that have failed since their queue was made, by category.",
                           family_kind::counter,
                           {}};
  for (const auto* queue : queues) {
    const auto sums = queue->sums();
    if (!sums) continue;
    for (const auto& [place, delays] : sums->by_place) {
      const metrics::label_list labels{
          {"queue", queue->queue}, {"pool", place.first}, {"priority_class", place.second}};
      waits.samples.push_back(histogram_of(delays.waits, labels));
      placings.samples.push_back(histogram_of(delays.placings, labels));
    }
    show_ended(*queue, *sums, ended.samples);
    for (const auto& [what, amount] : sums->preempted)
      lost.samples.push_back(
          {{{"pool", what.first}, {"queue", queue->queue}, {"resource", what.second}},
           amount * model::base_units(what.second)});
    for (const auto& [kind, runs] : sums->failures)
      failures.samples.push_back(
          {{{"queue", queue->queue}, {"category", kind.first}, {"subcategory", kind.second}},
           static_cast<double>(runs)});
  }
  for (auto* item : {&waits, &placings, &ended, &lost, &failures}) out.push_back(std::move(*item));
}

constexpr std::array live_states = {model::job_state::queued, model::job_state::leased,
                                    model::job_state::pending, model::job_state::running};
constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t live_jobs(const queue_figures& of) {
  std::uint64_t out = 0;
  for (const auto& count : of.live) out += count.load(relaxed);
  return out;
}

metrics::label_list labels_of(const queue_figures& one, model::job_state state) {
  return {{"queue", one.queue}, {"state", std::string{to_string(state)}}};
}

metrics::sample sample_of(const queue_figures& one, std::uint64_t figure) {
  return {{{"queue", one.queue}}, static_cast<double>(figure)};
}

}  // namespace

void queue_probe::add(const queue_figures& one) {
  const std::lock_guard lock{mutex_};
  queues_.insert(&one);
}

void queue_probe::remove(const queue_figures& one) {
  const std::lock_guard lock{mutex_};
  queues_.erase(&one);
}

void queue_probe::collect(metrics::family_list& out) const {
  metrics::family live{"argosy_queue_live_jobs",
                       "Live jobs by queue and state, of the 1000 queues with the most of them.",
                       metrics::family_kind::gauge,
                       {}};
  metrics::family held_back{"argosy_queue_held_jobs",
                            "Queued jobs that somebody holds back, by queue. Of the same queues.",
                            metrics::family_kind::gauge,
                            {}};
  metrics::family blocked_ones{
      "argosy_queue_blocked_jobs",
      "Queued jobs that no pool could take, even if all of its nodes were empty. Of the same "
      "queues.",
      metrics::family_kind::gauge,
      {}};
  metrics::family unfit_ones{
      "argosy_queue_unfit_jobs_total",
      "Jobs that were rejected since no pool could take them, since the server began. Of the same "
      "queues.",
      metrics::family_kind::counter,
      {}};
  metrics::family ended{
      "argosy_queue_ended_jobs_total",
      "Jobs that have ended since their queue was created, by queue and state. Of the same queues.",
      metrics::family_kind::counter,
      {}};
  metrics::family used{"argosy_queue_used_core_seconds_total",
                       "What ended runs of the queue requested of cores times the seconds that "
                       "they took. Of the same queues.",
                       metrics::family_kind::counter,
                       {}};
  const std::lock_guard lock{mutex_};
  std::vector<std::pair<std::uint64_t, const queue_figures*>> shown;
  shown.reserve(queues_.size());
  for (const auto* queue : queues_)
    if (queue->exists.load(relaxed)) shown.emplace_back(live_jobs(*queue), queue);
  std::sort(shown.begin(), shown.end(), [](const auto& left, const auto& right) {
    return left.first != right.first ? left.first > right.first
                                     : left.second->queue < right.second->queue;
  });
  if (shown.size() > queues_max) shown.resize(queues_max);
  for (const auto& [jobs, queue] : shown) {
    for (std::size_t i = 0; i < live_states.size(); ++i)
      live.samples.push_back(
          {labels_of(*queue, live_states[i]), static_cast<double>(queue->live[i].load(relaxed))});
    held_back.samples.push_back(sample_of(*queue, queue->held.load(relaxed)));
    blocked_ones.samples.push_back(sample_of(*queue, queue->blocked.load(relaxed)));
    unfit_ones.samples.push_back(sample_of(*queue, queue->unfit.load(relaxed)));
    for (std::size_t i = 0; i < ends.size(); ++i)
      ended.samples.push_back(
          {labels_of(*queue, ends[i]), static_cast<double>(queue->ended[i].load(relaxed))});
    used.samples.push_back(
        {{{"queue", queue->queue}}, static_cast<double>(queue->used_cpu_ms.load(relaxed)) / 1e3});
  }
  for (auto* item : {&live, &held_back, &blocked_ones, &unfit_ones, &ended, &used})
    out.push_back(std::move(*item));
  std::vector<const queue_figures*> of;
  of.reserve(shown.size());
  for (const auto& [jobs, queue] : shown) of.push_back(queue);
  show_sums(of, out);
}

queue_share::queue_share(metrics::board& board, const ledger::queue_core& core)
    : whole_(board.get<queue_probe>()) {
  own_.queue = core.name();
  show(core);
  whole_->add(own_);
}

queue_share::~queue_share() {
  whole_->remove(own_);
}

void queue_share::show(const ledger::queue_core& core) noexcept {
  const auto count = [&](model::job_state state) {
    return static_cast<std::int64_t>(core.count(state));
  };
  queued_.set(count(model::job_state::queued));
  leased_.set(count(model::job_state::leased));
  pending_.set(count(model::job_state::pending));
  running_.set(count(model::job_state::running));
  held_.set(static_cast<std::int64_t>(core.holds().by_somebody()));
  own_.exists.store(core.exists(), relaxed);
  for (std::size_t i = 0; i < live_states.size(); ++i)
    own_.live[i].store(core.count(live_states[i]), relaxed);
  own_.held.store(core.holds().by_somebody(), relaxed);
  own_.blocked.store(core.holds().blocked.size(), relaxed);
  own_.unfit.store(core.holds().rejected, relaxed);
  const auto& totals = core.totals();
  const std::array<std::uint64_t, 5> ended = {totals.succeeded, totals.failed, totals.preempted,
                                              totals.cancelled, totals.rejected};
  for (std::size_t i = 0; i < ended.size(); ++i) own_.ended[i].store(ended[i], relaxed);
  own_.used_cpu_ms.store(totals.usage_cpu_ms, relaxed);
  own_.set_sums(core.sums());
}

metrics::figure_list queue_share::figures(const ledger::queue_core& core) const {
  const auto count = [&](model::job_state state) { return static_cast<double>(core.count(state)); };
  return {{"queue", core.name()},
          {"exists", core.exists() ? 1.0 : 0.0},
          {"client ids", static_cast<double>(core.client_id_count())},
          {"jobs queued", count(model::job_state::queued)},
          {"jobs held", static_cast<double>(core.holds().by_somebody())},
          {"jobs blocked", static_cast<double>(core.holds().blocked.size())},
          {"jobs leased", count(model::job_state::leased)},
          {"jobs pending", count(model::job_state::pending)},
          {"jobs running", count(model::job_state::running)}};
}

}  // namespace argosy::probes
