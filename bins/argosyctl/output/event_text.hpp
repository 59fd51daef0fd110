// SPDX-License-Identifier: Apache-2.0
// What an event of a job says: its name, its job, the state that follows, one line of detail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bins/argosyctl/output/console.hpp"
#include "messages/proto/api/event.pb.h"
#include "runtime/base/result.hpp"

namespace argosy::ctl {

struct event_text {
  std::string name;  ///< As the field of api.EventMessage: "lease_returned".
  std::string job_id;
  std::string queue;
  std::string job_set;
  std::int64_t created_ns = 0;
  std::string detail;  ///< Not escaped; may be empty.
  look as = look::plain;
  std::optional<api::JobState> state;  ///< Nothing when the state stays as it is.
};

/// An event that this program does not know has the name "unknown".
[[nodiscard]] event_text describe_event(const api::EventMessage& event);

/// "queued", "running"; lower case.
[[nodiscard]] std::string state_name(api::JobState state);
[[nodiscard]] look state_look(api::JobState state);
[[nodiscard]] bool is_over(api::JobState state);

/// The state of such a name in any case. ec::invalid_argument listing them.
[[nodiscard]] result<api::JobState> parse_state(const std::string& name);

}  // namespace argosy::ctl
