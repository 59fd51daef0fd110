// SPDX-License-Identifier: Apache-2.0
// Reads texts from JSON that others wrote. It is private to this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace argosy::access {

/// The text of this name in the object; empty if it is no object, or has no such text.
inline std::string text_of(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

}  // namespace argosy::access
