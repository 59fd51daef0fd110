// SPDX-License-Identifier: Apache-2.0
// What a round has decided so far, as its steps note it: which jobs were evicted, placed, left out
// and refused, and why jobs lost their places. The plan is written from it.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/refusal_tally.hpp"
#include "runtime/scheduling/engine/world.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

struct placed_job {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  bool away = false;
};

struct loss_cause {
  preemption_cause cause = preemption_cause::not_returned;
  std::uint32_t preemptor = none;  ///< The job that did it; `none` if no single job did.
};

class decisions {
 public:
  explicit decisions(const tables& t) : refusals_(t), causes_of_(t.jobs.size()) {}

  /// A job is evicted, for now or for good. It may be noted twice.
  void evict(const found_job& job) { evicted_.push_back(job); }
  [[nodiscard]] const std::vector<found_job>& evicted() const { return evicted_; }
  /// So many evicted jobs are back at their place.
  void bring_back(std::size_t jobs) { returned_ += jobs; }
  [[nodiscard]] std::uint64_t returned() const { return returned_; }

  /// A new job is placed; it may still be evicted.
  void place(const placed_job& job) { placed_.push_back(job); }
  [[nodiscard]] const std::vector<placed_job>& placed() const { return placed_; }
  /// A gang starts without this member.
  void leave_out(std::uint32_t job) { left_out_.push_back(job); }
  [[nodiscard]] const std::vector<std::uint32_t>& left_out() const { return left_out_; }

  void refuse(std::uint32_t job, reason why) { refusals_.add({job, why}); }
  void refuse(const std::vector<refusal>& several) {
    for (const auto& refused : several) refusals_.add(refused);
  }
  [[nodiscard]] const std::vector<refusal>& refusals() const { return refusals_.all(); }

  /// Notes why a job lost its place; the last cause counts.
  void note_cause(std::uint32_t job, preemption_cause cause, std::uint32_t preemptor) {
    causes_.push_back({cause, preemptor});
    causes_of_[job] = static_cast<std::uint32_t>(causes_.size());
  }
  /// The cause of a job; null if none was noted.
  [[nodiscard]] const loss_cause* cause_of(std::uint32_t job) const {
    const auto number = causes_of_[job];
    return number == 0 ? nullptr : &causes_[number - 1];
  }

 private:
  std::vector<found_job> evicted_;
  std::vector<placed_job> placed_;
  std::vector<std::uint32_t> left_out_;
  refusal_tally refusals_;
  std::vector<loss_cause> causes_;
  zeros<std::uint32_t> causes_of_;  ///< By job, the number of its cause + 1; 0: none.
  std::uint64_t returned_ = 0;
};

}  // namespace argosy::scheduling::engine
