// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/jetstream/stream_limits.hpp"

#include <algorithm>

#include "runtime/eventlog/fill.hpp"

namespace argosy::eventlog {

result<std::optional<stream_limits>> limits_to_set(const stream_limits& now,
                                                   std::uint64_t held_bytes,
                                                   const stream_limits& wanted) {
  if (now == wanted) return std::optional<stream_limits>{};
  const bool smaller = now.bytes_max == 0 || wanted.bytes_max < now.bytes_max;
  // The margin also covers what another process may write until the limit is set.
  if (smaller && fill{held_bytes, wanted.bytes_max}.reaches(shed_percent))
    return fail(ec::invalid_argument,
                "journal.logBytesMax asks for a log of " + std::to_string(wanted.bytes_max) +
                    " bytes, of which what is in the log now takes " + std::to_string(held_bytes) +
                    "; set the key to at least " +
                    std::to_string(held_bytes / shed_percent * 100 + 100));
  return std::optional<stream_limits>{wanted};
}

std::uint64_t limit_of_written(std::uint64_t bytes_max, std::uint64_t others, std::uint64_t now,
                               std::uint64_t held) {
  const auto left = bytes_max > others ? bytes_max - others : 0;
  const auto usable = held / shed_percent * 100 + room_min;
  // A first generation has exactly what the setting says.
  return others == 0 ? bytes_max : std::max({left, std::min(now, usable), room_min});
}

std::string advice_without_room(std::uint64_t bytes_max, const server_room& room) {
  const auto asked =
      "journal.logBytesMax reserves " + std::to_string(bytes_max) + " bytes for the log, ";
  const auto allowed = room.allowed
                           ? "and the server allows streams " + std::to_string(*room.allowed) +
                                 " bytes, of which " + std::to_string(room.used) + " are in use"
                           : std::string{
                                 "and the server allows streams less (without a setting, 75 % of "
                                 "the disk that was free at its start)"};
  return asked + allowed + ": lower the key, or raise max_file_store of the nats-server";
}

}  // namespace argosy::eventlog
