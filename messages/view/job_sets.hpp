// SPDX-License-Identifier: Apache-2.0
// This file declares the query for job sets, which reads the counts that the view keeps of each.
#pragma once

#include <cstddef>

#include "messages/native/reader.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// The limits of one page.
struct job_set_bounds {
  std::uint32_t sets = 1'000;
  /// The bytes of the summaries: their names, and an estimate for what else they hold.
  std::size_t bytes = 2u << 20;
  std::size_t looked_at = 50'000;  ///< How many sets are looked at, wanted or not.
};

/// Fails with ec::invalid_argument when no page named the place to go on from, with ec::corrupt
/// when a record does not decode, and with errors of the database.
[[nodiscard]] result<native::job_set_page> job_sets(store::read_txn& txn,
                                                    const native::list_job_sets& query,
                                                    const job_set_bounds& bounds = {});

}  // namespace argosy::view
