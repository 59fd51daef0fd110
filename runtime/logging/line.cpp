// SPDX-License-Identifier: Apache-2.0
#include "runtime/logging/line.hpp"

#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

#include <array>
#include <cmath>

#include "runtime/base/text.hpp"

namespace argosy::logging {

namespace {

/// Calls `plain` for what may be shown as it stands and `special` for the code of what may not.
template <class Plain, class Special>
void for_each_character(std::string_view text, Plain plain, Special special) {
  while (!text.empty()) {
    const auto c = first_character(text);
    if (!c.valid)
      plain("\xef\xbf\xbd");
    else if (is_control(c.code))
      special(static_cast<unsigned>(c.code));
    else
      plain(text.substr(0, c.size));
    text.remove_prefix(c.size);
  }
}

std::string text_value(const field& item) {
  const auto escaped = escape(item.value);
  if (!escaped.empty() && escaped.find_first_of(" =\"") == std::string::npos) return escaped;
  std::string quoted = "\"";
  for (const char c : escaped) {
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

/// JSON has no infinity and no "not a number".
bool is_json_literal(const field& item) {
  if (!item.literal) return false;
  return item.value == "true" || item.value == "false" ||
         item.value.find_first_not_of("0123456789+-.eE") == std::string::npos;
}

std::string_view colour_of(level severity) {
  switch (severity) {
    case level::error:
      return "\x1b[31m";
    case level::warning:
      return "\x1b[33m";
    case level::info:
      return "\x1b[32m";
    default:
      return "\x1b[36m";
  }
}

}  // namespace

std::string detail::duration_text(std::chrono::nanoseconds duration) {
  struct unit {
    std::string_view name;
    double nanos;
  };
  constexpr std::array<unit, 4> units{{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
  const auto nanos = static_cast<double>(duration.count());
  for (const auto& [name, size] : units)
    if (std::abs(nanos) >= size) return fmt::format("{:.4g}{}", nanos / size, name);
  return "0s";
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(
      text,
      [&](std::string_view part) {
        if (part == "\\") out += '\\';
        out += part;
      },
      [&](unsigned code) {
        if (code == '\n')
          out += "\\n";
        else if (code == '\t')
          out += "\\t";
        else
          out += fmt::format("\\x{:02x}", code);
      });
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for_each_character(
      text,
      [&](std::string_view part) {
        if (part == "\"" || part == "\\") out += '\\';
        out += part;
      },
      [&](unsigned code) { out += fmt::format("\\u{:04x}", code); });
  return out += '"';
}

std::string utc_text(wall_time time) {
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(millis);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds.time_since_epoch().count()),
                     (millis - seconds).count());
}

std::string text_line(const line& entry, bool colour) {
  std::string name{to_string(entry.severity)};
  for (auto& c : name) c = static_cast<char>(c - 'a' + 'A');
  std::string out = utc_text(entry.time) + ' ';
  if (colour) out += colour_of(entry.severity);
  out += fmt::format("{:<7}", name);
  if (colour) out += "\x1b[0m";
  out += fmt::format(" {}: {}", entry.component, escape(entry.message));
  for (const auto& item : entry.fields) out += fmt::format(" {}={}", item.key, text_value(item));
  if (entry.suppressed > 0) out += fmt::format(" suppressed={}", entry.suppressed);
  if (!entry.trace.empty()) out += " trace=" + entry.trace;
  return out;
}

std::string json_line(const line& entry) {
  auto out =
      fmt::format(R"({{"ts":"{}","level":"{}","component":{},"msg":{})", utc_text(entry.time),
                  to_string(entry.severity), json_text(entry.component), json_text(entry.message));
  for (const auto& item : entry.fields)
    out += fmt::format(",{}:{}", json_text(item.key),
                       is_json_literal(item) ? item.value : json_text(item.value));
  if (entry.suppressed > 0) out += fmt::format(R"(,"suppressed":{})", entry.suppressed);
  if (!entry.trace.empty())
    out += fmt::format(R"(,"trace_id":"{}","span_id":"{}")", entry.trace, entry.span);
  return out + fmt::format(R"(,"src":{}}})", json_text(entry.source));
}

}  // namespace argosy::logging
