// SPDX-License-Identifier: Apache-2.0
// This file declares the query for job sets, which counts the jobs of each set by state.
#pragma once

#include <cstddef>

#include "messages/native/reader.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// What one page may cost. A page ends at the end of a job set, so that a large set may exceed it.
struct job_set_bounds {
  std::uint32_t sets = 1'000;
  /// The bytes of the summaries: their names, and an estimate for what else they hold.
  std::size_t bytes = 2u << 20;
  std::size_t jobs = 200'000;  ///< How many jobs are looked at.
};

/// Fails with ec::invalid_argument when no page named the place to go on from, with ec::corrupt
/// when a record does not decode, and with errors of the database.
[[nodiscard]] result<native::job_set_page> job_sets(store::read_txn& txn,
                                                    const native::list_job_sets& query,
                                                    const job_set_bounds& bounds = {});

}  // namespace argosy::view
