// SPDX-License-Identifier: Apache-2.0
// The ids of events in the API's streams: "POSITION:INDEX:PART:LAST:CLAIM". POSITION and INDEX are
// the place of the event in the log. One event may be several messages, its parts, of which LAST
// marks the last. CLAIM, 16 hex digits, says in which history of the log that is. A stream that is
// opened behind an id goes on after it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/model/lineage.hpp"

namespace argosy::codec {

struct event_id {
  /// An event has no such index. It stands for a place behind all events of its position.
  static constexpr std::uint32_t behind_all = UINT32_MAX;

  model::log_place place;
  std::uint32_t index = 0;
  std::uint32_t part = 0;
  bool last_part = true;

  friend bool operator==(const event_id&, const event_id&) = default;
};

[[nodiscard]] std::string to_text(const event_id& id);

/// The id behind all events of the records up to this place.
[[nodiscard]] inline std::string event_id_behind(const model::log_place& place) {
  return to_text(event_id{place, event_id::behind_all, 0, true});
}

/// Fails with ec::invalid_argument, and with ec::conflict for an id of an older version, which does
/// not say to which history it belongs.
[[nodiscard]] result<event_id> parse_event_id(const std::string& text);

}  // namespace argosy::codec
