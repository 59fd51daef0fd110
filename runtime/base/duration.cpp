// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "runtime/base/text.hpp"

namespace argosy {

result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
  constexpr std::array<std::pair<std::string_view, double>, 6> units{
      {{"", 1e3}, {"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}}};
  constexpr double millis_max = 8.64e10;
  if (failed == std::errc{} && value >= 0)
    for (const auto& [name, millis] : units) {
      if (unit != name) continue;
      if (value * millis <= millis_max)
        return std::chrono::milliseconds{std::llround(value * millis)};
      return fail(ec::invalid_argument, "'" + shown(text) + "' is longer than 1000d");
    }
  return fail(ec::invalid_argument, "'" + shown(text) +
                                        "' is not a duration; write for example 500ms, 30s, 5m "
                                        "or 2h");
}

}  // namespace argosy
