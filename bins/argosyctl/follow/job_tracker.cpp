// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/follow/job_tracker.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/progress.hpp"

namespace argosy::ctl {

namespace {

using api::JobState;

constexpr std::size_t wait_bar_cells = 20;

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

tracked_job& job_tracker::add(const job_reference& id) {
  index_.emplace(id, static_cast<std::uint32_t>(jobs_.size()));
  ++by_state_[index_of(JobState::QUEUED)];
  auto& job = jobs_.emplace_back();
  job.id = id;
  return job;
}

void job_tracker::set_state(tracked_job& job, JobState state) {
  --by_state_[index_of(job.state)];
  if (is_over(job.state)) --over_;
  job.state = state;
  job.is_known = true;
  ++by_state_[index_of(state)];
  if (is_over(state)) ++over_;
  mark_stages(job, state);
}

void job_tracker::expect(const job_reference& id) {
  if (!index_.contains(id)) add(id);
}

void job_tracker::expect(const argosy::v1::JobSummary& job) {
  const auto id = job_reference::of_id(job.job_id());
  if (index_.contains(id)) return;
  auto& added = add(id);
  set_state(added, job.state());
  added.was_scheduled = added.was_scheduled || job.run() != 0;
  added.was_running = added.was_running || job.started_ns() != 0;
  added.reason = job.reason();
}

const tracked_job* job_tracker::apply(const event_text& event) {
  const auto found = index_.find(job_reference::of_id(event.job_id));
  if (found == index_.end() || !event.state) return nullptr;
  auto& job = jobs_[found->second];
  if (job.state == JobState::PREEMPTED && event.state == JobState::FAILED) return nullptr;
  job.is_known = true;
  if (job.state == *event.state) return nullptr;
  // An end is final: events that come after it are older than the listing that told of it.
  if (is_over(job.state) && !is_over(*event.state)) return nullptr;
  set_state(job, *event.state);
  // The detail of a success is not kept, since nobody asks for it and there may be very many jobs.
  job.reason = job.state == JobState::SUCCEEDED ? std::string{} : event.detail;
  return &job;
}

const tracked_job* job_tracker::refresh(const argosy::v1::JobSummary& job) {
  const auto found = index_.find(job_reference::of_id(job.job_id()));
  if (found == index_.end() || is_over(jobs_[found->second].state)) return nullptr;
  auto& known = jobs_[found->second];
  known.reason = job.reason();
  const bool taken = is_over(job.state()) || !known.is_known || source_ == told_by::listings;
  if (!taken) return nullptr;
  known.was_running = known.was_running || job.started_ns() != 0;
  const bool changed = known.state != job.state();
  set_state(known, job.state());
  return changed ? &known : nullptr;
}

std::size_t job_tracker::count(JobState state) const {
  return by_state_[index_of(state)];
}

std::string progress_text(const job_tracker& jobs) {
  progress done;
  done.all = jobs.jobs().size();
  done.succeeded = jobs.count(JobState::SUCCEEDED);
  done.failed = jobs.over() - done.succeeded;
  done.running =
      jobs.count(JobState::RUNNING) + jobs.count(JobState::PENDING) + jobs.count(JobState::LEASED);
  auto text =
      fmt::format("{} {}/{} done", progress_bar(done, wait_bar_cells), jobs.over(), done.all);
  for (const auto state :
       {JobState::RUNNING, JobState::PENDING, JobState::LEASED, JobState::QUEUED, JobState::FAILED,
        JobState::CANCELLED, JobState::PREEMPTED, JobState::REJECTED})
    if (const auto n = jobs.count(state); n != 0)
      text += fmt::format(" · {} {}", n, state_name(state));
  return text;
}

}  // namespace argosy::ctl
