// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/render_text.hpp"

#include <array>
#include <cstdio>

namespace argosy::trace {

std::string duration_text(std::int64_t nanos) {
  struct unit {
    const char* name;
    double nanos;
  };
  constexpr std::array<unit, 3> units{{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  char buffer[64];
  const auto value = static_cast<double>(nanos);
  const auto size = value < 0 ? -value : value;
  if (size < 999.5) {
    std::snprintf(buffer, sizeof buffer, "%.0f ns", value);
    return buffer;
  }
  const auto* fitting = &units[2];
  if (size < 999.5e3)
    fitting = &units[0];
  else if (size < 999.5e6)
    fitting = &units[1];
  const auto shown = size / fitting->nanos;
  const int decimals = shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0;
  std::snprintf(buffer, sizeof buffer, "%.*f %s", decimals, value / fitting->nanos, fitting->name);
  return buffer;
}

std::string_view short_actor_name(std::string_view name) noexcept {
  constexpr std::string_view prefix = "argosy.";
  if (name.empty()) return "outside";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

std::string mermaid_text(std::string_view text) {
  constexpr std::size_t length_max = 80;
  std::string out;
  for (const char c : text.substr(0, length_max)) {
    switch (c) {
      case '"':
        out += "#quot;";
        break;
      case '#':
        out += "#35;";
        break;
      case ';':
        out += "#59;";
        break;
      case '<':
        out += "#lt;";
        break;
      case '>':
        out += "#gt;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
      continue;
    }
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned char>(c));
    out += buffer;
  }
  return out += '"';
}

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

}  // namespace argosy::trace
