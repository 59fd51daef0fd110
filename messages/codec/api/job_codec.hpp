// SPDX-License-Identifier: Apache-2.0
// Jobs and runs as the API shows them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/proto/api/job.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::codec {

/// The whole job as submitted, defaults filled in. ec::corrupt when the specification does not
/// decode.
[[nodiscard]] result<void> to_wire(const model::job_header& header, api::Job& out);

/// Writes specification and runs only when asked for; runs come newest first.
[[nodiscard]] result<void> to_wire(const model::job_record& job, bool with_spec, bool with_runs,
                                   api::JobDetails& out);

void to_wire(const model::run_record& run, const ulid& job, api::JobRunDetails& out);

/// The id of a run: it is unique, has the form of a UUID, and is derived from job and number.
[[nodiscard]] std::string run_id(const model::run_key& run);

/// The jobs of which an id that run_id() made may name a run: the id hides the run's number, of
/// which all up to 64 are tried. Empty for what is no such id.
[[nodiscard]] std::vector<ulid> jobs_of_run(std::string_view run_id);

/// The run that an id of run_id() names if it is one of this job; nothing for any other ids.
[[nodiscard]] std::optional<model::run_key> run_of(std::string_view job_id,
                                                   std::string_view run_id);

[[nodiscard]] api::JobState to_wire(model::job_state state) noexcept;
/// Returns nothing for states that no job has here (UNKNOWN, SUBMITTED).
[[nodiscard]] std::optional<model::job_state> from_wire(api::JobState state) noexcept;
/// All states that jobs have, as the API calls them: "QUEUED, LEASED, ...".
[[nodiscard]] std::string job_state_names();

/// Whether the encoded specification of a job has this external URI, which must not be empty. The
/// pod specification stays encoded. ec::corrupt when the specification does not decode.
[[nodiscard]] result<bool> has_external_uri(const std::string& spec, const std::string& uri);

void to_wire(std::int64_t unix_nanos, google::protobuf::Timestamp& out);

}  // namespace argosy::codec
