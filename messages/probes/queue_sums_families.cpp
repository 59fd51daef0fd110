// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/queue_sums_families.hpp"

#include <map>
#include <string>
#include <utility>

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

}  // namespace

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

}  // namespace argosy::probes
