// SPDX-License-Identifier: Apache-2.0
// Decides by a retry policy whether a failed run is tried again. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/ledger/retry/failure_category.hpp"
#include "runtime/model/retry_policy.hpp"

namespace argosy::ledger {

struct retry_settings {
  bool enabled = false;
  /// How often any job may be tried again, whatever its policy says; 0: never.
  std::uint32_t limit_max = 5;
  /// The policy of queues that name none; empty: none. If it is not there, nothing is tried again.
  std::string default_policy{};
};

struct failed_run {
  failure_category kind;
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
[[nodiscard]] retry_decision decide_retry(const model::retry_policy* first, const failed_run& run,
                                          const retry_settings& settings);

}  // namespace argosy::ledger
