// SPDX-License-Identifier: Apache-2.0
// This file declares a walk over the jobs of a view, in the order of their ids, that finds jobs by
// what their ids begin with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Calls `visitor` with every job record behind `after` whose id begins with one of the prefixes,
/// in the order of ids, until it returns false. Each job comes once; without prefixes all jobs
/// come. Prefixes are lower case; one with which no id begins finds nothing. The cost is what is
/// found and a look-up for each prefix.
result<void> visit_jobs(store::read_txn& txn, bool active_only, const std::optional<ulid>& after,
                        const std::vector<std::string>& prefixes,
                        const std::function<result<bool>(std::string_view)>& visitor);

}  // namespace argosy::view
