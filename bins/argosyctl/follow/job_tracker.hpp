// SPDX-License-Identifier: Apache-2.0
// Follows jobs through their events. It is a pure fold, used to wait, to watch and to show
// progress. A million jobs take about 150 MB.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/client/job_reference.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

struct tracked_job {
  job_reference id;
  bool was_scheduled = false;  ///< The job was leased at some time.
  bool was_running = false;
  bool is_known = false;  ///< Its state was listed or told by an event.
  api::JobState state = api::JobState::QUEUED;
  std::string reason;  ///< Why the job waits, or why it ended as it did.
};

/// Where a tracker learns the states of jobs that are not over.
enum class told_by : std::uint8_t { events, listings };

class job_tracker {
 public:
  explicit job_tracker(told_by source = told_by::events) : source_(source) {}

  /// Follows the job from its state as listed; a second time is ignored.
  void expect(const argosy::v1::JobSummary& job);
  /// Follows a job of which nothing is known yet.
  void expect(const job_reference& id);

  /// Applies an event. Returns the job if it is followed and the event changed it; null otherwise.
  /// A preempted job that then fails, as the API's stream has it, stays preempted.
  const tracked_job* apply(const event_text& event);

  /// Takes from a later listing why the job waits, and its end if it is over; other states only
  /// if no event has told of the job, since a listing may be older than an event. The job, if its
  /// state has changed by this; null otherwise.
  const tracked_job* refresh(const argosy::v1::JobSummary& job);

  [[nodiscard]] bool follows(const std::string& id) const {
    return index_.contains(job_reference::of_id(id));
  }
  /// The jobs in the order of expect().
  [[nodiscard]] const std::vector<tracked_job>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] std::size_t count(api::JobState state) const;
  [[nodiscard]] std::size_t over() const noexcept { return over_; }
  [[nodiscard]] bool all_over() const noexcept { return over_ == jobs_.size(); }

 private:
  tracked_job& add(const job_reference& id);
  void set_state(tracked_job& job, api::JobState state);

  std::vector<tracked_job> jobs_;
  absl::flat_hash_map<job_reference, std::uint32_t> index_;
  std::array<std::size_t, api::JobState_ARRAYSIZE> by_state_{};
  std::size_t over_ = 0;
  told_by source_;
};

/// Progress in one line: "[###x>>......] 4/12 done · 2 running · 6 queued · 1 failed".
[[nodiscard]] std::string progress_text(const job_tracker& jobs);

}  // namespace argosy::ctl
