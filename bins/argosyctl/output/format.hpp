// SPDX-License-Identifier: Apache-2.0
// The words that the flag -o takes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace argosy::ctl {

enum class format : std::uint8_t {
  table,
  wide,
  json,
  jsonl,
  yaml,
  name,
  csv,   ///< "csv", or "csv=A,B" with chosen columns.
  cols,  ///< "cols=A,B": a table of chosen columns.
  tree,
  mermaid,
  dot,
  perfetto  ///< Chrome's trace format, which ui.perfetto.dev opens.
};

inline constexpr std::array<std::pair<std::string_view, format>, 12> format_names{
    {{"table", format::table},
     {"wide", format::wide},
     {"json", format::json},
     {"jsonl", format::jsonl},
     {"yaml", format::yaml},
     {"name", format::name},
     {"csv", format::csv},
     {"cols=", format::cols},
     {"tree", format::tree},
     {"mermaid", format::mermaid},
     {"dot", format::dot},
     {"perfetto", format::perfetto}}};

[[nodiscard]] constexpr std::optional<format> parse_format(std::string_view name) noexcept {
  for (const auto& [known, value] : format_names)
    if (known == name) return value;
  return std::nullopt;
}

/// Whether the format is a table for people.
[[nodiscard]] constexpr bool is_table(format as) noexcept {
  return as == format::table || as == format::wide || as == format::cols;
}

}  // namespace argosy::ctl
