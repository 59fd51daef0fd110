// SPDX-License-Identifier: Apache-2.0
// This file declares the queries that the READER answers, as functions of a read transaction.
#pragma once

#include "messages/native/reader.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// All queries fail with ec::corrupt when a record does not decode, and with errors of the
/// database.
[[nodiscard]] result<native::job_page> jobs_by_id(store::read_txn& txn,
                                                  const native::get_jobs& query);
[[nodiscard]] result<native::event_page> events(store::read_txn& txn,
                                                const native::read_events& query,
                                                std::uint32_t limit);

}  // namespace argosy::view
