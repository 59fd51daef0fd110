// SPDX-License-Identifier: Apache-2.0
// This file declares how the jobs of owners are found by the index of postings, so that no job of
// another owner is looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/view/search/set_jobs.hpp"

namespace argosy::view {

/// The prefixes in table job_postings of the jobs that can meet a condition on the owner, which
/// must not be negated. Nothing when a bound is exceeded.
[[nodiscard]] result<std::optional<std::vector<std::string>>> owner_prefixes(
    store::read_txn& txn, const model::job_condition& owner, const prefix_bounds& bounds = {});

}  // namespace argosy::view
