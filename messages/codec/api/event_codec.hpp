// SPDX-License-Identifier: Apache-2.0
// Events of the log as the API's event stream shows them, in the order and number that Armada's
// clients expect: one event of the log may be two messages.
#pragma once

#include <vector>

#include "messages/proto/api/event.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/model/event.hpp"

namespace argosy::codec {

/// `header` is the job's (with the specification for job_submitted), `run` is the run that the
/// event is about; either may be null when it is not known any more. The list is empty for events
/// that clients do not see. ec::corrupt when the specification does not decode.
[[nodiscard]] result<std::vector<api::EventMessage>> to_wire(const model::event& event,
                                                             const model::job_header* header,
                                                             const model::run_record* run);

/// What happened to a job, oldest first, as far as its record tells: the same messages as in its
/// job set's stream, without the specification and without what has no trace in the record
/// (priorities, requests to cancel).
[[nodiscard]] std::vector<api::EventMessage> history(const model::job_record& job);

}  // namespace argosy::codec
