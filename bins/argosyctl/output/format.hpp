// SPDX-License-Identifier: Apache-2.0
// The words that the flag -o takes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace argosy::ctl {

enum class format : std::uint8_t { table, wide, json, jsonl, yaml, name, tree, mermaid, dot };

inline constexpr std::array<std::pair<std::string_view, format>, 9> format_names{
    {{"table", format::table},
     {"wide", format::wide},
     {"json", format::json},
     {"jsonl", format::jsonl},
     {"yaml", format::yaml},
     {"name", format::name},
     {"tree", format::tree},
     {"mermaid", format::mermaid},
     {"dot", format::dot}}};

[[nodiscard]] constexpr std::optional<format> parse_format(std::string_view name) noexcept {
  for (const auto& [known, value] : format_names)
    if (known == name) return value;
  return std::nullopt;
}

}  // namespace argosy::ctl
