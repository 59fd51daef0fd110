// SPDX-License-Identifier: Apache-2.0
// The ids of events in the API's streams: "POSITION:INDEX:PART:LAST", where POSITION is the
// position of the event's record in the log. A stream that is opened behind an id goes on after it.
#pragma once

#include <cstdint>
#include <string>

namespace argosy::codec {

/// The id behind all events of the records up to this position of the log.
[[nodiscard]] inline std::string event_id_behind(std::uint64_t position) {
  return std::to_string(position) + ":" + std::to_string(UINT32_MAX) + ":0:1";
}

}  // namespace argosy::codec
