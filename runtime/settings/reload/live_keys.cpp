// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/reload/live_keys.hpp"

#include "runtime/scheduling/keys.hpp"
#include "runtime/settings/argosyd_settings.hpp"

namespace argosy::settings {

bool is_live(std::string_view path) {
  constexpr std::string_view section = "scheduling.";
  if (path.starts_with("store.jobRetention") || path == "rest.views" || path == "health.hostNames")
    return true;
  if (!path.starts_with(section)) return false;
  const auto* key = scheduling::find_key(path.substr(section.size()));
  return key != nullptr && !key->at_start;
}

const std::vector<std::string>& live_keys() {
  static const auto all = [] {
    argosyd_settings item;
    field_table table;
    describe(table, item);
    std::vector<std::string> out;
    for (const auto path : table.paths())
      if (is_live(path) && path != pools_key) out.emplace_back(path);
    return out;
  }();
  return all;
}

const std::vector<std::string>& pool_keys() {
  static const auto all = [] {
    pool_settings item;
    field_table table;
    describe(table, item);
    std::vector<std::string> out;
    for (const auto path : table.paths())
      if (path != "name") out.emplace_back(path);
    return out;
  }();
  return all;
}

std::string name_of_pool_key(const std::string& pool, const std::string& key) {
  return std::string{pools_key} + "." + pool + "." + key;
}

std::optional<pool_key> parse_pool_key(std::string_view name) {
  if (!name.starts_with(pools_key)) return std::nullopt;
  name.remove_prefix(pools_key.size());
  const auto dot = name.rfind('.');
  if (!name.starts_with('.') || dot == 0) return std::nullopt;
  return pool_key{std::string{name.substr(1, dot - 1)}, std::string{name.substr(dot + 1)}};
}

}  // namespace argosy::settings
