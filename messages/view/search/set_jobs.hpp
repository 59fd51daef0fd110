// SPDX-License-Identifier: Apache-2.0
// This file declares how the jobs of job sets are found whose queue is not named, and the ended
// jobs of some states in all queues, by indexes that have the queue in front.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/view/search/name_leaps.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/job_search.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

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

}  // namespace argosy::view
