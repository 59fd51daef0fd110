// SPDX-License-Identifier: Apache-2.0
// The life cycle of one job: which event may follow which state, and what it makes of the record.
// Used by apply() and, on copies, by every command, so that both always agree.
#pragma once

#include "runtime/model/event.hpp"

namespace argosy::ledger {

/// run_outcome::reason of a run that came back unstarted, of one recalled with its gang, and of one
/// whose lease lapsed.
inline constexpr const char* reason_returned = "LeaseReturned";
inline constexpr const char* reason_recalled = "GangRequeued";
inline constexpr const char* reason_lapsed = "LeaseExpired";

/// The gang of a job, or null: a gang of one is none.
[[nodiscard]] const model::gang_info* gang_info_of(const model::job_header& header) noexcept;

[[nodiscard]] std::uint32_t next_run_number(const model::job_record& record) noexcept;

/// How many runs came back without having run, recalls of the gang not counted.
[[nodiscard]] std::uint32_t returns_of(const model::job_record& record) noexcept;

/// Applies an event about this job (any but job_submitted). False, and nothing changed, if it is
/// illegal in the job's state.
[[nodiscard]] bool advance(model::job_record& record, const model::event& e);

/// Marks a live run to be stopped because its gang starts over. False if it has none, or is being
/// stopped already.
[[nodiscard]] bool recall(model::job_record& record, const ulid& because, std::int64_t now_ns);

}  // namespace argosy::ledger
