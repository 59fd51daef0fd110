// SPDX-License-Identifier: Apache-2.0
// Fields of JSON that somebody else wrote: what is absent or of another type reads as nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace argosy::kube {

/// The value under a key; null if `from` is no object or has none.
[[nodiscard]] inline const nlohmann::json* field(const nlohmann::json& from, const char* key) {
  if (!from.is_object()) return nullptr;
  const auto found = from.find(key);
  return found == from.end() ? nullptr : &*found;
}

[[nodiscard]] inline const nlohmann::json* object_field(const nlohmann::json& from,
                                                        const char* key) {
  const auto* const value = field(from, key);
  return value != nullptr && value->is_object() ? value : nullptr;
}

[[nodiscard]] inline std::string text_field(const nlohmann::json& from, const char* key) {
  const auto* const value = field(from, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string{};
}

/// A number that fits an int; 0 for anything else.
[[nodiscard]] inline int number_field(const nlohmann::json& from, const char* key) {
  const auto* const value = field(from, key);
  if (value == nullptr || !value->is_number_integer()) return 0;
  const auto number = value->get<std::int64_t>();
  return number >= 0 && number < 1'000'000 ? static_cast<int>(number) : 0;
}

}  // namespace argosy::kube
