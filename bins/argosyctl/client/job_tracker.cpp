// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/job_tracker.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/progress.hpp"

namespace argosy::ctl {

namespace {

using api::JobState;

std::size_t index_of(JobState state) {
  const bool known = api::JobState_IsValid(static_cast<int>(state));
  return static_cast<std::size_t>(known ? state : JobState::UNKNOWN);
}

void mark_stages(tracked_job& job, JobState state) {
  const bool running = state == JobState::RUNNING || state == JobState::SUCCEEDED;
  job.was_running = job.was_running || running;
  job.was_scheduled =
      job.was_scheduled || running || state == JobState::LEASED || state == JobState::PENDING;
}

}  // namespace

tracked_job& job_tracker::add(const std::string& id) {
  index_.emplace(id, jobs_.size());
  ++by_state_[index_of(JobState::QUEUED)];
  tracked_job job;
  job.id = id;
  return jobs_.emplace_back(std::move(job));
}

void job_tracker::set_state(tracked_job& job, JobState state) {
  --by_state_[index_of(job.state)];
  if (is_over(job.state)) --over_;
  job.state = state;
  ++by_state_[index_of(state)];
  if (is_over(state)) ++over_;
  mark_stages(job, state);
}

void job_tracker::expect(const std::string& id) {
  if (!follows(id)) add(id);
}

void job_tracker::expect(const argosy::v1::JobSummary& job) {
  if (follows(job.job_id())) return;
  auto& added = add(job.job_id());
  set_state(added, job.state());
  added.was_scheduled = added.was_scheduled || job.run() != 0;
  added.was_running = added.was_running || job.started_ns() != 0;
  added.reason = job.reason();
}

const tracked_job* job_tracker::apply(const event_text& event) {
  const auto found = index_.find(event.job_id);
  if (found == index_.end() || !event.state) return nullptr;
  auto& job = jobs_[found->second];
  if (job.state == JobState::PREEMPTED && event.state == JobState::FAILED) return nullptr;
  if (job.state == *event.state) return nullptr;
  set_state(job, *event.state);
  job.reason = event.detail;
  return &job;
}

std::size_t job_tracker::count(JobState state) const {
  return by_state_[index_of(state)];
}

std::string progress_text(const job_tracker& jobs) {
  auto text = fmt::format("{} {}/{} done", progress_bar(jobs.over(), jobs.jobs().size(), 20),
                          jobs.over(), jobs.jobs().size());
  for (const auto state :
       {JobState::RUNNING, JobState::PENDING, JobState::LEASED, JobState::QUEUED, JobState::FAILED,
        JobState::CANCELLED, JobState::PREEMPTED, JobState::REJECTED})
    if (const auto n = jobs.count(state); n != 0)
      text += fmt::format(" · {} {}", n, state_name(state));
  return text;
}

}  // namespace argosy::ctl
