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

/// Is called with a job's id and its record, and returns whether the walk goes on.
using job_visitor = std::function<result<bool>(const ulid&, std::string_view)>;

/// The id in a key of the tables of jobs.
[[nodiscard]] ulid id_of(std::string_view key);

/// Calls `visitor` with every job of the tables behind `after` whose id begins with one of the
/// prefixes, in the order of ids, until it returns false. Each job comes once; without prefixes all
/// jobs come. Prefixes are lower case; one with which no id begins finds nothing. The cost is what
/// is found and a look-up for each prefix.
result<void> visit_jobs(store::read_txn& txn, const std::vector<store::table>& tables,
                        const std::optional<ulid>& after, const std::vector<std::string>& prefixes,
                        const job_visitor& visitor);

/// Does the same with the jobs of an index, whose keys are `prefix` and an id.
result<void> visit_index(store::read_txn& txn, store::table index, const std::string& prefix,
                         const std::optional<ulid>& after, const job_visitor& visitor);

}  // namespace argosy::view
