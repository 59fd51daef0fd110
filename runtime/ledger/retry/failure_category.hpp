// SPDX-License-Identifier: Apache-2.0
// This file sorts the ends of runs and jobs that failed into few categories, so that users can
// count them and retry policies can name them.
#pragma once

#include <string_view>

#include "runtime/model/job.hpp"

namespace argosy::ledger {

/// Both are words for machines. The category says whose fault it was:
///   user_error  the command returned an exit code other than 0, was killed by a signal
///   (subcategory
///               "signal"), or the job asks for what the machine does not allow ("not-allowed")
///   oom         the run took more memory than it had requested
///   storage     it took more of the disk than it had requested
///   internal    nothing that the command did: "active-deadline", "lease-expired", "pod-missing",
///               "job-creation-failed", "job-rejected"
/// Both are empty for an end that says nothing.
struct failure_category {
  std::string_view category;
  std::string_view subcategory;

  friend bool operator==(const failure_category&, const failure_category&) = default;
};

/// The category of a run that failed.
[[nodiscard]] failure_category category_of(const model::run_outcome& outcome) noexcept;

/// The category of a job that was rejected before it had a run.
inline constexpr failure_category rejected_category{"internal", "job-rejected"};

}  // namespace argosy::ledger
