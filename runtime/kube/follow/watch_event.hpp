// SPDX-License-Identifier: Apache-2.0
// What the API server sends to those who follow a collection: pages of a list, and lines of a
// watch. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kube/api.hpp"

namespace argosy::kube {

struct list_page {
  std::vector<nlohmann::json> objects;
  std::string version;        ///< metadata.resourceVersion of the list.
  std::string continue_from;  ///< Empty for the last page.
};

/// Nothing if it is not a list.
[[nodiscard]] std::optional<list_page> read_list_page(std::string_view body);

struct watch_event {
  enum class kind : std::uint8_t { object, bookmark, failed, unknown };
  kind what = kind::unknown;
  change how = change::modified;  ///< For an object.
  nlohmann::json object{};        ///< For a failure this is a Status.
  std::string version{};          ///< metadata.resourceVersion of the object.
};

/// Nothing if the line is not an event.
[[nodiscard]] std::optional<watch_event> read_watch_event(std::string_view line);

/// The beginning of the message of a Status, for people: " (pods is forbidden: ...)"; empty if
/// there is none.
[[nodiscard]] std::string status_message(const nlohmann::json& status);
[[nodiscard]] std::string status_message(std::string_view body);

}  // namespace argosy::kube
