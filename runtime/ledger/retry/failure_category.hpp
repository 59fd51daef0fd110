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
///               "signal"), or the job asks for what the machine does not allow ("not-allowed"),
///               for what no cluster takes ("submission-refused"), for a container that cannot be
///               made ("container"), or for init containers that take too long ("init-deadline")
///   image       an image cannot be had ("pull") or has no proper name ("name")
///   quota       its namespace may have no more in its cluster
///   oom         the run took more memory than it had requested
///   storage     it took more of the disk than it had requested
///   internal    nothing that the command did: "active-deadline", "lease-expired", "pod-missing",
///               "job-creation-failed", "job-rejected"; its pod was ended by its node, which was
///               short of something, or by whoever had it leave ("evicted"), gave way to another
///               ("displaced"), ended with its node ("node-shutdown"), or was deleted by somebody
///               ("externally-deleted")
/// A rule of the agent's cluster may give any other words. Both are empty for an end that says
/// nothing.
struct failure_category {
  std::string_view category;
  std::string_view subcategory;

  friend bool operator==(const failure_category&, const failure_category&) = default;
};

/// The category of a run that failed; it refers to the outcome.
[[nodiscard]] failure_category category_of(const model::run_outcome& outcome) noexcept;

/// The category of a job that was rejected before it had a run.
inline constexpr failure_category rejected_category{"internal", "job-rejected"};

}  // namespace argosy::ledger
