// SPDX-License-Identifier: Apache-2.0
// A key and a value of a log line. kv() costs nothing until the line is really written.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/base/error.hpp"

namespace argosy::logging {

/// A value in text form; `literal` ones (numbers and booleans) stand unquoted in JSON.
struct field {
  std::string_view key;
  std::string value;
  bool literal = false;
};

/// What kv() returns; it refers to the value, so it must not outlive the log call.
template <class T>
struct key_value {
  std::string_view key;
  const T& value;
};

/// A field of a log line: texts, numbers, booleans, durations, errors, and whatever has a
/// to_string() beside it.
template <class T>
[[nodiscard]] key_value<T> kv(std::string_view key, const T& value) noexcept {
  return {key, value};
}

namespace detail {

template <class T>
std::string number_text(T value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

/// "250us", "12.5ms", "3s": the largest unit of which there is at least one.
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);

template <class T>
struct is_duration : std::false_type {};
template <class Rep, class Period>
struct is_duration<std::chrono::duration<Rep, Period>> : std::true_type {};

template <class T>
field to_field(const key_value<T>& item) {
  if constexpr (std::is_same_v<T, bool>) {
    return {item.key, item.value ? "true" : "false", true};
  } else if constexpr (std::is_arithmetic_v<T>) {
    return {item.key, number_text(item.value), true};
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return {item.key, std::string{std::string_view{item.value}}, false};
  } else if constexpr (is_duration<T>::value) {
    return {item.key,
            duration_text(std::chrono::duration_cast<std::chrono::nanoseconds>(item.value)), false};
  } else {
    return {item.key, std::string{to_string(item.value)}, false};
  }
}

}  // namespace detail

}  // namespace argosy::logging
