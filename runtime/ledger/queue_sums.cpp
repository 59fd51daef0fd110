// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/queue_sums.hpp"

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/retry/failure_category.hpp"

namespace argosy::ledger {

namespace {

/// The entry of the key, or that of `other` when the table is full. Names come from users'
/// configurations, so that their number must be bounded here.
template <class Map>
auto& bounded(Map& table, const typename Map::key_type& key, const typename Map::key_type& other,
              std::size_t most) {
  if (const auto found = table.find(key); found != table.end()) return found->second;
  return table[table.size() < most ? key : other];
}

/// Says what a run's end has to do with its cause: a preempted job's run may have been stopped in
/// any way.
bool was_preempted(const model::job_record& job) {
  return job.state == model::job_state::preempted ||
         job.runs.back().state == model::run_state::preempted ||
         job.runs.back().outcome.reason == reason_preempted;
}

}  // namespace

queue_sums::delays& queue_sums::at(const model::job_record& job) {
  const auto& shape = job.header->shape;
  return bounded(by_place,
                 {job.runs.back().pool.str(), shape ? shape->priority_class : std::string{}},
                 {"other", "other"}, places_max);
}

void queue_sums::count_lease(const model::job_record& job) {
  const auto& runs = job.runs;
  const auto since = runs.size() < 2 ? job.header->submitted_ns : runs[runs.size() - 2].finished_ns;
  if (since > 0) at(job).placings.add(runs.back().leased_ns - since);
}

void queue_sums::count_start(const model::job_record& job) {
  if (job.runs.size() != 1) return;
  at(job).waits.add(job.runs.back().started_ns - job.header->submitted_ns);
}

void queue_sums::count_run_end(const model::job_record& job) {
  const auto& run = job.runs.back();
  if (run.state == model::run_state::failed) {
    const auto kind = category_of(run.outcome);
    ++bounded(failures, {std::string{kind.category}, std::string{kind.subcategory}},
              {"other", "other"}, words_max);
  }
  if (!was_preempted(job) || !job.header->shape || run.started_ns <= 0 ||
      run.finished_ns <= run.started_ns)
    return;
  const auto seconds = static_cast<double>(run.finished_ns - run.started_ns) / 1e9;
  for (const auto& [resource, amount] : job.header->shape->requests)
    bounded(preempted, {run.pool.str(), resource}, {"other", "other"}, words_max) +=
        static_cast<double>(amount) * seconds;
}

void queue_sums::count_job_end(const model::job_record& job) {
  std::string reason;
  if (job.state == model::job_state::failed) reason = category_of(job.runs.back().outcome).category;
  ++bounded(ended, {job.runs.back().pool.str(), job.state, std::move(reason)},
            {"other", job.state, ""}, words_max);
}

}  // namespace argosy::ledger
