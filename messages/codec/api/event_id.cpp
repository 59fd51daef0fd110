// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/event_id.hpp"

#include <array>
#include <charconv>

#include "messages/codec/api/resume_token.hpp"

namespace argosy::codec {

std::string to_text(const event_id& id) {
  return to_string(id.place.position) + ":" + std::to_string(id.index) + ":" +
         std::to_string(id.part) + ":" + (id.last_part ? "1" : "0") + ":" +
         claim_text(id.place.claim);
}

result<event_id> parse_event_id(const std::string& text) {
  const auto none = [&text] {
    return fail(ec::invalid_argument, "'" + text.substr(0, 60) + "' is no event id");
  };
  std::array<std::uint64_t, 4> parts{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [next, failed] = std::from_chars(at, end, parts[i]);
    if (failed != std::errc{} || (i > 0 && parts[i] > UINT32_MAX)) return none();
    const bool older = next == end && i + 1 == parts.size();
    if (older) return fail(of_another_history("the event id '" + text.substr(0, 60) + "'"));
    if (next == end || *next != ':') return none();
    at = next + 1;
  }
  const auto claim = parse_claim({at, static_cast<std::size_t>(end - at)});
  if (!claim || parts[3] > 1) return none();
  return event_id{{{parts[0]}, *claim},
                  static_cast<std::uint32_t>(parts[1]),
                  static_cast<std::uint32_t>(parts[2]),
                  parts[3] == 1};
}

}  // namespace argosy::codec
