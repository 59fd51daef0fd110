// SPDX-License-Identifier: Apache-2.0
// How each type of setting is read from YAML and written back. read_value() explains what is wrong
// without place and key, which its caller knows; print_value() writes what read_value() reads.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/pattern.hpp"
#include "runtime/model/byte_size.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::settings {

/// What is wrong with a value, or nothing.
using complaint = std::optional<std::string>;

using model::byte_size;

/// Amounts by resource, as Kubernetes quantities: {cpu: 500m, memory: 1Gi}. In milli, bytes or
/// pieces, as model::unit_of() says.
using amount_list = std::vector<std::pair<std::string, std::int64_t>>;
using label_list = std::vector<std::pair<std::string, std::string>>;
using id_list = std::vector<std::uint32_t>;
using number_list = std::vector<std::pair<std::string, double>>;
using duration_list = std::vector<std::pair<std::string, std::chrono::milliseconds>>;

/// {name: [word, word]}
using word_lists = std::vector<std::pair<std::string, std::vector<std::string>>>;

[[nodiscard]] complaint read_value(const yaml::node& from, bool& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::uint32_t& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::int32_t& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::int64_t& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::uint64_t& to);
[[nodiscard]] complaint read_value(const yaml::node& from, double& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::string& to);
/// "1s", "20ms", "1h30m", "7d"; whole milliseconds, not negative.
[[nodiscard]] complaint read_value(const yaml::node& from, std::chrono::milliseconds& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::chrono::nanoseconds& to);
[[nodiscard]] complaint read_value(const yaml::node& from, byte_size& to);
[[nodiscard]] complaint read_value(const yaml::node& from, pattern& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::vector<pattern>& to);
[[nodiscard]] complaint read_value(const yaml::node& from, std::vector<std::string>& to);
[[nodiscard]] complaint read_value(const yaml::node& from, id_list& to);
[[nodiscard]] complaint read_value(const yaml::node& from, amount_list& to);
[[nodiscard]] complaint read_value(const yaml::node& from, label_list& to);
[[nodiscard]] complaint read_value(const yaml::node& from, number_list& to);
[[nodiscard]] complaint read_value(const yaml::node& from, duration_list& to);
[[nodiscard]] complaint read_value(const yaml::node& from, word_lists& to);

[[nodiscard]] std::string print_value(bool value);
[[nodiscard]] std::string print_value(std::uint32_t value);
[[nodiscard]] std::string print_value(std::int32_t value);
[[nodiscard]] std::string print_value(std::int64_t value);
[[nodiscard]] std::string print_value(std::uint64_t value);
/// The shortest text that reads back as the same number.
[[nodiscard]] std::string print_value(double value);
[[nodiscard]] std::string print_value(const std::string& value);
[[nodiscard]] std::string print_value(std::chrono::milliseconds value);
/// Prints a duration in whole milliseconds.
[[nodiscard]] std::string print_value(std::chrono::nanoseconds value);
[[nodiscard]] std::string print_value(const byte_size& value);
[[nodiscard]] std::string print_value(const pattern& value);
[[nodiscard]] std::string print_value(const std::vector<pattern>& value);
[[nodiscard]] std::string print_value(const std::vector<std::string>& value);
[[nodiscard]] std::string print_value(const id_list& value);
[[nodiscard]] std::string print_value(const amount_list& value);
[[nodiscard]] std::string print_value(const label_list& value);
[[nodiscard]] std::string print_value(const number_list& value);
[[nodiscard]] std::string print_value(const duration_list& value);
[[nodiscard]] std::string print_value(const word_lists& value);

/// Plain where YAML reads it back as text, else in double quotes.
[[nodiscard]] std::string quote(std::string_view text);

/// An enumeration has `std::span<const std::string_view> enum_names(E)` beside it, in order.
template <class E>
concept named_enum = requires(E value) {
  { enum_names(value) } -> std::convertible_to<std::span<const std::string_view>>;
};

/// The index of a name, or what to complain about: the choices and the nearest of them.
[[nodiscard]] complaint read_name(const yaml::node& from, std::span<const std::string_view> names,
                                  std::size_t& index);

template <named_enum E>
[[nodiscard]] complaint read_value(const yaml::node& from, E& to) {
  std::size_t index = 0;
  auto wrong = read_name(from, enum_names(to), index);
  if (!wrong) to = static_cast<E>(index);
  return wrong;
}

template <named_enum E>
[[nodiscard]] std::string print_value(E value) {
  return std::string{enum_names(value)[static_cast<std::size_t>(value)]};
}

template <named_enum E>
[[nodiscard]] complaint read_value(const yaml::node& from, std::vector<E>& to) {
  if (!from.is_sequence()) return "must be a list";
  std::vector<E> values;
  for (const auto item : from.items()) {
    E value{};
    if (auto wrong = read_value(item, value)) return wrong;
    for (const auto& before : values)
      if (before == value) return "names '" + print_value(value) + "' twice";
    values.push_back(value);
  }
  to = std::move(values);
  return std::nullopt;
}

template <named_enum E>
[[nodiscard]] std::string print_value(const std::vector<E>& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.push_back(print_value(value));
  return print_value(names);
}

/// `null` stands for nothing.
template <class T>
[[nodiscard]] complaint read_value(const yaml::node& from, std::optional<T>& to) {
  to.reset();
  if (from.is_null()) return std::nullopt;
  T value{};
  auto wrong = read_value(from, value);
  if (!wrong) to = std::move(value);
  return wrong;
}

template <class T>
[[nodiscard]] std::string print_value(const std::optional<T>& value) {
  return value ? print_value(*value) : "null";
}

}  // namespace argosy::settings
