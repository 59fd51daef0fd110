// SPDX-License-Identifier: Apache-2.0
// Decides by a retry policy whether a failed run is tried again. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/ledger/retry/retry_policy.hpp"
#include "runtime/model/job.hpp"

namespace argosy::ledger {

struct retry_settings {
  bool enabled = false;
  /// How often any job may be tried again, whatever its policy says; 0: never.
  std::uint32_t limit_max = 5;
};

/// What kind of failure a run had, in the words of retry policies.
struct failure_kind {
  std::string category;
  std::string subcategory;

  friend bool operator==(const failure_kind&, const failure_kind&) = default;
};

/// The kind that is known of a run that failed or whose lease expired. Nobody configures kinds here
/// as Armada's executors let operators do; there are:
/// "internal" with "lease-expired", "active-deadline" (it ran too long) or "pod-missing" (nobody
/// saw its end); "oom" for too much memory; "user_error" for the exit codes 1, 2, 126 and 127; and
/// "error" for every other end. Beside "internal" the subcategory is the exit code, if it is known.
[[nodiscard]] failure_kind kind_of(const model::run_record& run);

struct failed_run {
  failure_kind kind;
  std::uint32_t retries = 0;  ///< How many runs were tried again because of failures before.
  bool in_gang = false;
  bool fail_fast = false;
};

struct retry_decision {
  bool retry = false;
  /// The rule that decided, by its place; nothing if none did.
  std::optional<std::size_t> rule{};
  std::string why;  ///< A clause for people.
};

/// `first` is the first policy of the job's queue, null if it has none. Gangs and jobs that fail
/// fast are never tried again.
[[nodiscard]] retry_decision decide_retry(const retry_policy* first, const failed_run& run,
                                          const retry_settings& settings);

}  // namespace argosy::ledger
