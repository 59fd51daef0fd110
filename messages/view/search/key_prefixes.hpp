// SPDX-License-Identifier: Apache-2.0
// This file declares under which prefixes of keys those jobs stand that can meet a condition on the
// job set or the owner, or that have ended in some states, so that no other job is looked at: these
// indexes have the queue or the owner in front.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/job_search.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// How much is done to find the prefixes of keys under which jobs of several names stand.
struct prefix_bounds {
  std::size_t prefixes = 64;   ///< More than this are not worth joining.
  std::size_t steps = 10'000;  ///< So many keys are looked at to find them.
};

/// More lists of ended jobs by queue and state than this are not joined.
inline constexpr std::size_t ended_lists_max = 1'024;

/// The prefixes in table job_sets of the sets that meet a condition on the job set, which must not
/// be negated, in the queues that `queue` names, or in all if that is null. Nothing when a bound is
/// exceeded.
[[nodiscard]] result<std::optional<std::vector<std::string>>> set_prefixes(
    store::read_txn& txn, const model::job_condition& set, const model::job_condition* queue,
    const prefix_bounds& bounds = {});

/// The prefixes in table job_postings of the jobs that have ended in these states, in any queue.
/// Nothing when a bound is exceeded.
[[nodiscard]] result<std::optional<std::vector<std::string>>> ended_prefixes(
    store::read_txn& txn, const std::vector<model::job_state>& states,
    std::size_t most = ended_lists_max);

/// The prefixes in table job_postings of the jobs that can meet a condition on the owner, which
/// must not be negated. Nothing when a bound is exceeded.
[[nodiscard]] result<std::optional<std::vector<std::string>>> owner_prefixes(
    store::read_txn& txn, const model::job_condition& owner, const prefix_bounds& bounds = {});

}  // namespace argosy::view
