// SPDX-License-Identifier: Apache-2.0
// Jobs and runs as the API shows them.
#pragma once

#include <string>

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

[[nodiscard]] api::JobState to_wire(model::job_state state) noexcept;

void to_wire(std::int64_t unix_nanos, google::protobuf::Timestamp& out);

}  // namespace argosy::codec
