// SPDX-License-Identifier: Apache-2.0
#include "actors/log/room_lines.hpp"

namespace argosy::actors {

void tell_of_room(const logging::logger& logger, eventlog::fill_watch::word word,
                  const std::string& what, const eventlog::fill& now, const std::string& setting) {
  using enum eventlog::fill_watch::word;
  if (word == nothing) return;
  const auto bytes = logging::kv("bytes", now.bytes);
  const auto bytes_max = logging::kv("bytes_max", now.bytes_max);
  const auto cure = "raise " + setting + " and start argosyd again";
  if (word == warn)
    logger.warning("the " + what + " fills; " + cure, bytes, bytes_max);
  else if (word == shed)
    logger.error("the " + what + " is nearly full, so that new commands are refused; " + cure,
                 bytes, bytes_max);
  else
    logger.warning("the " + what + " has room for new commands again", bytes, bytes_max);
}

}  // namespace argosy::actors
