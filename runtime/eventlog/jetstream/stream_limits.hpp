// SPDX-License-Identifier: Apache-2.0
// How the limits of the log's stream follow the settings, and what is said when they cannot.
// Internal to the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::eventlog {

/// The limits of a stream in bytes; 0 means that there is none.
struct stream_limits {
  std::uint64_t bytes_max = 0;
  std::uint64_t message_bytes_max = 0;

  friend bool operator==(const stream_limits&, const stream_limits&) = default;
};

/// Which limits a stream is to get that has `now` and holds `held_bytes`, or nothing if it has the
/// wanted ones. A stream that is cut below what it holds loses its oldest records, so that
/// ec::invalid_argument refuses a smaller limit under which the log would be nearly full.
[[nodiscard]] result<std::optional<stream_limits>> limits_to_set(const stream_limits& now,
                                                                 std::uint64_t held_bytes,
                                                                 const stream_limits& wanted);

/// What a generation that is not written any more keeps as room: enough for the record that ends
/// it.
inline constexpr std::uint64_t room_min = 64u << 10;

/// The limit of the generation that is written and holds `held` bytes under the limit `now`, when
/// all together may take `bytes_max` and the limits of the others are `others`. It is never cut so
/// far that the generation would be nearly full, though all are then larger than they should be, as
/// after the limit was lowered.
[[nodiscard]] std::uint64_t limit_of_written(std::uint64_t bytes_max, std::uint64_t others,
                                             std::uint64_t now, std::uint64_t held);

/// What a server says about the room that it has for streams, in bytes.
struct server_room {
  std::uint64_t used = 0;
  std::optional<std::uint64_t> allowed;  ///< Nothing if the server does not tell.
};

/// What to do when a server has no room for a log of this limit: the end of a sentence.
[[nodiscard]] std::string advice_without_room(std::uint64_t bytes_max, const server_room& room);

}  // namespace argosy::eventlog
