// SPDX-License-Identifier: Apache-2.0
// Follows jobs through their events: a pure fold, used to wait, to watch and to show progress.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "bins/argosyctl/output/event_text.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

struct tracked_job {
  std::string id;
  api::JobState state = api::JobState::QUEUED;
  bool was_scheduled = false;  ///< Was leased at some time.
  bool was_running = false;
  std::string reason;
};

class job_tracker {
 public:
  /// Follows the job from its state as listed; a second time is ignored.
  void expect(const argosy::v1::JobSummary& job);
  /// Follows a job of which nothing is known yet.
  void expect(const std::string& id);

  /// The job, if it is followed and the event changed it; null otherwise. A preempted job that
  /// then fails, as the API's stream has it, stays preempted.
  const tracked_job* apply(const event_text& event);

  [[nodiscard]] bool follows(const std::string& id) const { return index_.contains(id); }
  /// In the order of expect().
  [[nodiscard]] const std::vector<tracked_job>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] std::size_t count(api::JobState state) const;
  [[nodiscard]] std::size_t over() const noexcept { return over_; }
  [[nodiscard]] bool all_over() const noexcept { return over_ == jobs_.size(); }

 private:
  tracked_job& add(const std::string& id);
  void set_state(tracked_job& job, api::JobState state);

  std::vector<tracked_job> jobs_;
  std::unordered_map<std::string, std::size_t> index_;
  std::array<std::size_t, api::JobState_ARRAYSIZE> by_state_{};
  std::size_t over_ = 0;
};

/// "12/40 done · 3 running · 25 queued · 1 failed"
[[nodiscard]] std::string progress_text(const job_tracker& jobs);

}  // namespace argosy::ctl
