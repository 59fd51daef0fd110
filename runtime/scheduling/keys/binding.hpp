// SPDX-License-Identifier: Apache-2.0
// Rows of the key table, bound to members of the configuration.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/scheduling/keys.hpp"

namespace argosy::scheduling::keys {

/// The place of a name among those of the key. Fails with ec::invalid_argument, whose message lists
/// the names that there are.
[[nodiscard]] result<std::size_t> index_of(const key& self, const std::string& name);

template <class T>
struct is_list_of_enum : std::false_type {};
template <class T>
struct is_list_of_enum<std::vector<T>> : std::is_enum<T> {};

template <auto Member>
using member_type = std::remove_cvref_t<decltype(std::declval<config&>().*Member)>;

template <class T>
constexpr key_kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return key_kind::flag;
  if constexpr (std::is_same_v<T, double>) return key_kind::number;
  if constexpr (std::is_integral_v<T>) return key_kind::whole;
  if constexpr (std::is_same_v<T, std::string>) return key_kind::text;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return key_kind::texts;
  if constexpr (std::is_same_v<T, fraction_list>) return key_kind::fractions;
  if constexpr (std::is_enum_v<T>) return key_kind::choice;
  if constexpr (is_list_of_enum<T>::value) return key_kind::choices;
}

/// A row while it is being stated.
struct row : key {
  /// Sets the limits; see key::least.
  [[nodiscard]] constexpr row from(double lowest) const {
    auto out = *this;
    out.least = lowest;
    return out;
  }
  [[nodiscard]] constexpr row to(double highest) const {
    auto out = *this;
    out.most = highest;
    return out;
  }
  [[nodiscard]] constexpr row as(key_kind other) const {
    auto out = *this;
    out.kind = other;
    return out;
  }
  [[nodiscard]] constexpr row of(key_scope whose) const {
    auto out = *this;
    out.scope = whose;
    return out;
  }
  /// Sets key::at_start.
  [[nodiscard]] constexpr row fixed() const {
    auto out = *this;
    out.at_start = true;
    return out;
  }
};

template <auto Member>
key_value read_member(const key& self, const config& from) {
  using type = member_type<Member>;
  const auto& member = from.*Member;
  if constexpr (std::is_enum_v<type>) {
    return std::string(self.names[static_cast<std::size_t>(member)]);
  } else if constexpr (is_list_of_enum<type>::value) {
    std::vector<std::string> list;
    for (const auto one : member) list.emplace_back(self.names[static_cast<std::size_t>(one)]);
    return list;
  } else if constexpr (std::is_integral_v<type> && !std::is_same_v<type, bool>) {
    return static_cast<std::uint64_t>(member);
  } else {
    return member;
  }
}

template <auto Member>
result<void> write_member(const key& self, config& to, const key_value& value) {
  using type = member_type<Member>;
  auto& member = to.*Member;
  if constexpr (std::is_enum_v<type>) {
    const auto index = index_of(self, std::get<std::string>(value));
    if (!index) return fail(index.error());
    member = static_cast<type>(*index);
  } else if constexpr (is_list_of_enum<type>::value) {
    type list;
    for (const auto& name : std::get<std::vector<std::string>>(value)) {
      const auto index = index_of(self, name);
      if (!index) return fail(index.error());
      list.push_back(static_cast<typename type::value_type>(*index));
    }
    member = std::move(list);
  } else if constexpr (std::is_integral_v<type> && !std::is_same_v<type, bool>) {
    member = static_cast<type>(std::get<std::uint64_t>(value));
  } else {
    member = std::get<type>(value);
  }
  return {};
}

/// A key whose kind follows from its member's type. `names` are the names of an enumeration's
/// values.
template <auto Member>
constexpr row key_of(std::string_view path, std::string_view doc,
                     std::span<const std::string_view> names = {}) {
  using type = member_type<Member>;
  row out;
  out.path = path;
  out.doc = doc;
  out.kind = kind_of<type>();
  out.read = read_member<Member>;
  out.write = write_member<Member>;
  out.names = names;
  if constexpr (std::is_integral_v<type> && !std::is_same_v<type, bool>)
    out.largest = static_cast<std::uint64_t>(std::numeric_limits<type>::max());
  return out;
}

/// A flag that files show as a choice: the first name stands for true, the second for false.
template <bool config::*Member>
constexpr row named(std::string_view path, std::string_view doc,
                    const std::array<std::string_view, 2>& names) {
  auto out = key_of<Member>(path, doc, names);
  out.kind = key_kind::choice;
  out.read = [](const key& self, const config& from) -> key_value {
    return std::string(self.names[from.*Member ? 0 : 1]);
  };
  out.write = [](const key& self, config& to, const key_value& value) -> result<void> {
    const auto index = index_of(self, std::get<std::string>(value));
    if (!index) return fail(index.error());
    to.*Member = *index == 0;
    return {};
  };
  return out;
}

/// Reads a flag that files show as an order: all names, or all but the first.
[[nodiscard]] key_value read_order(const key& self, bool whole);
[[nodiscard]] result<bool> write_order(const key& self, const key_value& value);

template <bool config::*Member>
constexpr row ordered(std::string_view path, std::string_view doc,
                      std::span<const std::string_view> names) {
  auto out = key_of<Member>(path, doc, names);
  out.kind = key_kind::choices;
  out.least = 1;
  out.read = [](const key& self, const config& from) { return read_order(self, from.*Member); };
  out.write = [](const key& self, config& to, const key_value& value) -> result<void> {
    const auto whole = write_order(self, value);
    if (!whole) return fail(whole.error());
    to.*Member = *whole;
    return {};
  };
  return out;
}

constexpr row heading(std::string_view path, std::string_view doc) {
  row out;
  out.path = path;
  out.doc = doc;
  return out;
}

constexpr row structured(std::string_view path, std::string_view doc) {
  return heading(path, doc).as(key_kind::structured);
}

/// Makes one table of several.
template <std::size_t... Sizes>
constexpr auto joined(const std::array<row, Sizes>&... parts) {
  std::array<key, (Sizes + ...)> all;
  std::size_t at = 0;
  const auto add = [&](const auto& part) {
    for (const key& one : part) all[at++] = one;
  };
  (add(parts), ...);
  return all;
}

}  // namespace argosy::scheduling::keys
