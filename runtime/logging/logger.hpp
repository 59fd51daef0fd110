// SPDX-License-Identifier: Apache-2.0
// Component loggers: one line per event, a fixed message and fields. Before setup() they write text
// of level info to stderr. Any thread may log; a line is written whole.
//
//   const logging::logger log{"journal"};
//   log.info("batch committed", logging::kv("events", count));
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <map>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/logging/field.hpp"

namespace argosy::logging {

enum class level : std::uint8_t { trace, debug, info, warning, error, off };

[[nodiscard]] std::string_view to_string(level value) noexcept;
/// Reads the name of a level. The error lists the five levels and `off`.
[[nodiscard]] result<level> parse_level(std::string_view name);

/// automatic: text on a terminal, else JSON lines.
enum class line_format : std::uint8_t { automatic, text, json };

[[nodiscard]] std::string_view to_string(line_format value) noexcept;
[[nodiscard]] result<line_format> parse_line_format(std::string_view name);

struct options {
  level minimum = level::info;
  line_format format = line_format::automatic;
  /// The levels of components that differ from `minimum`.
  std::map<std::string, level> components;
  /// How many lines of one call site are written in a second. Further ones in that second are only
  /// counted; 0: no limit.
  std::uint32_t lines_per_second = 100;
  /// The file to append to instead of stderr, if not empty.
  std::string file;
};

/// Sets logging up. It may be called again at run time, for new levels. Fails with
/// ec::invalid_argument if the file cannot be opened; then nothing has changed.
[[nodiscard]] result<void> setup(const options& wanted);

/// The number of lines of each level written since the process began.
[[nodiscard]] std::array<std::uint64_t, 5> line_counts() noexcept;

/// A message with the place from which it is logged.
struct message {
  template <std::convertible_to<std::string_view> Text>
  message(const Text& words,  // NOLINT(google-explicit-constructor): made at each call.
          std::source_location at = std::source_location::current())
      : text(words), where(at) {}

  std::string_view text;
  std::source_location where;
};

class logger {
 public:
  /// Cheap to copy; loggers of one name share their level.
  explicit logger(std::string_view name);

  [[nodiscard]] bool enabled(level value) const noexcept {
    return value >= component_->minimum.load(std::memory_order_relaxed);
  }

  template <class... Ts>
  void debug(const message& words, const key_value<Ts>&... fields) const {
    write(level::debug, words, fields...);
  }
  template <class... Ts>
  void info(const message& words, const key_value<Ts>&... fields) const {
    write(level::info, words, fields...);
  }
  template <class... Ts>
  void warning(const message& words, const key_value<Ts>&... fields) const {
    write(level::warning, words, fields...);
  }
  template <class... Ts>
  void error(const message& words, const key_value<Ts>&... fields) const {
    write(level::error, words, fields...);
  }
  template <class... Ts>
  void write(level value, const message& words, const key_value<Ts>&... fields) const {
    if (!enabled(value)) return;
    const std::array<field, sizeof...(Ts)> texts{detail::to_field(fields)...};
    emit(value, words, texts);
  }

  /// Made by the registry of components; lives as long as the process.
  struct component {
    std::string name;
    std::atomic<level> minimum{level::info};
  };

 private:
  void emit(level value, const message& words, std::span<const field> fields) const;

  component* component_;
};

}  // namespace argosy::logging
