// SPDX-License-Identifier: Apache-2.0
// Describes an event of a job: its name, its job, the state that follows, one line of detail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bins/argosyctl/output/console.hpp"
#include "messages/proto/api/event.pb.h"
#include "runtime/base/result.hpp"

namespace argosy::ctl {

struct event_text {
  std::string name;  ///< The name of the field in api.EventMessage: "lease_returned".
  std::string job_id;
  std::string queue;
  std::string job_set;
  std::int64_t created_ns = 0;
  std::string detail;  ///< The detail is not escaped; it may be empty.
  look as = look::plain;
  std::optional<api::JobState> state;  ///< Nothing when the event does not change the state.
};

/// Describes the event. One that this program does not know has the name "unknown".
[[nodiscard]] event_text describe_event(const api::EventMessage& event);

/// Whether the event says again that the job was preempted: clients of Armada are told of each
/// preemption by a second event, "failed".
[[nodiscard]] bool says_again(const event_text& event, const event_text& before);

/// The name of a state in lower case: "queued", "running".
[[nodiscard]] std::string state_name(api::JobState state);
[[nodiscard]] look state_look(api::JobState state);
[[nodiscard]] bool is_over(api::JobState state);

/// The state of this name in any case. ec::invalid_argument lists the names.
[[nodiscard]] result<api::JobState> parse_state(const std::string& name);

}  // namespace argosy::ctl
