// SPDX-License-Identifier: Apache-2.0
// This file declares the life cycle of one job: which event may follow which state, and how it
// changes the record. apply() uses these functions, and every command uses them on copies, so that
// both always agree.
#pragma once

#include "runtime/model/agent_run.hpp"
#include "runtime/model/event.hpp"

namespace argosy::ledger {

/// The values of run_outcome::reason for a run that came back unstarted, for one that was preempted
/// and whose job queues again, for one that was recalled with its gang, for one that was ended from
/// outside, and for one whose lease lapsed. A run that its node refused, that its cluster takes of
/// nobody or that was lost has model::reason_backend_error, model::reason_cluster_refused or
/// model::reason_lost.
inline constexpr const char* reason_returned = "LeaseReturned";
inline constexpr const char* reason_preempted = "Preempted";
inline constexpr const char* reason_recalled = "GangRequeued";
inline constexpr const char* reason_disrupted = "Disrupted";
inline constexpr const char* reason_lapsed = "LeaseExpired";

/// The gang of a job, or null. A job in a gang of one counts as a job without a gang.
[[nodiscard]] const model::gang_info* gang_info_of(const model::job_header& header) noexcept;

[[nodiscard]] std::uint32_t next_run_number(const model::job_record& record) noexcept;

/// How many runs of the job came back without having run. Of those that one node refused through a
/// fault of its own every fourth counts, from the first on. Recalls of its gang and what a cluster
/// takes of nobody do not count.
[[nodiscard]] std::uint32_t returns_of(const model::job_record& record) noexcept;

/// How many runs of the job were lost and made it queue again.
[[nodiscard]] std::uint32_t losses_of(const model::job_record& record) noexcept;

/// How many runs of the job were ended from outside and made it queue again.
[[nodiscard]] std::uint32_t disruptions_of(const model::job_record& record) noexcept;

/// How many runs of the job were preempted and made it queue again.
[[nodiscard]] std::uint32_t preemptions_of(const model::job_record& record) noexcept;

/// Whether its run is being preempted, after which it is queued again.
[[nodiscard]] bool is_sent_back(const model::job_record& record) noexcept;

/// Whether any of its runs has begun.
[[nodiscard]] bool has_started(const model::job_record& record) noexcept;

/// Whether a job that has ended, as this record says, has become what is needed of it.
[[nodiscard]] bool is_met(model::dependency_condition when,
                          const model::job_record& ended) noexcept;

/// How many runs of a live job failed and were tried again by a retry policy.
[[nodiscard]] std::uint32_t retries_of(const model::job_record& record) noexcept;

/// Applies any event about this job but job_submitted. Returns false and changes nothing if the
/// event is illegal in the job's state.
[[nodiscard]] bool advance(model::job_record& record, const model::event& e);

/// Marks the job's live run to be stopped because its gang starts over. Returns false if the job
/// has no live run, or is being stopped already.
[[nodiscard]] bool recall(model::job_record& record, const ulid& because, std::int64_t now_ns);

}  // namespace argosy::ledger
