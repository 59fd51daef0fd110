// SPDX-License-Identifier: Apache-2.0
// The header_block of a message is what NATS sends before its data: the version, lines of a name, a
// colon and a value, and an empty line, each with CR and LF at its end. The library passes over
// lines that it cannot read, so that somebody else has to see them. Pure.
#pragma once

#include <algorithm>
#include <string_view>

namespace argosy::bus {

/// Whether the bytes are a header block in this form.
[[nodiscard]] inline bool is_header_block(std::string_view bytes) noexcept {
  constexpr std::string_view version = "NATS/1.0";
  constexpr std::string_view line_end = "\r\n";
  const auto visible = [](char c) { return c > ' ' && c < 0x7f; };
  const auto fits = [](char c) { return c != '\0' && c != '\r' && c != '\n'; };
  if (!bytes.starts_with(version)) return false;
  for (bool is_first = true; !bytes.empty(); is_first = false) {
    const auto end = bytes.find(line_end);
    if (end == std::string_view::npos) return false;
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(end + line_end.size());
    if (line.empty()) return bytes.empty();
    const auto colon = line.find(':');
    const bool has_name = colon != std::string_view::npos && colon != 0 &&
                          std::ranges::all_of(line.substr(0, colon), visible);
    if ((!is_first && !has_name) || !std::ranges::all_of(line, fits)) return false;
  }
  return false;
}

}  // namespace argosy::bus
