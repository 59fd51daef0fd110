// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/reload/difference.hpp"

#include <algorithm>
#include <utility>

#include "runtime/settings/reload/live_keys.hpp"

namespace argosy::settings {

namespace {

/// The value as people are told of it; a key of a pool that is not set has none.
std::string told(std::string text) {
  if (text == "null") return {};
  if (text.size() <= told_value_bytes) return text;
  auto end = told_value_bytes;
  const auto continues = [&](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (end > 0 && continues(text[end])) --end;
  return text.substr(0, end) + "...";
}

/// Compares two tables of the same struct, field by field.
template <class Differs>
void compare_fields(const field_table& a, const field_table& b, Differs differs) {
  for (std::size_t i = 0; i < a.fields().size(); ++i) {
    const auto& field = a.fields()[i];
    if (!field.bound) continue;
    auto before = field.bound->print();
    auto after = b.fields()[i].bound->print();
    if (before != after) differs(field.path, std::move(before), std::move(after));
  }
}

std::vector<std::string> pool_names(const scheduling_settings& a, const scheduling_settings& b) {
  std::vector<std::string> names;
  for (const auto* from : {&a, &b})
    for (const auto& pool : from->pools) names.push_back(pool.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// The settings of the pool; those of a pool that is not named say nothing.
pool_settings pool_of(const scheduling_settings& from, const std::string& name) {
  const auto found = std::ranges::find(from.pools, name, &pool_settings::name);
  if (found != from.pools.end()) return *found;
  pool_settings out;
  out.name = name;
  return out;
}

/// Names the keys of pools that differ; returns whether there is one.
bool compare_pools(const scheduling_settings& running, const scheduling_settings& wanted,
                   settings_difference& out) {
  const auto known = out.live.size();
  for (const auto& name : pool_names(running, wanted)) {
    auto a = pool_of(running, name);
    auto b = pool_of(wanted, name);
    field_table before;
    field_table after;
    describe(before, a);
    describe(after, b);
    compare_fields(before, after, [&](const auto& key, std::string was, std::string is) {
      out.live.push_back({name_of_pool_key(name, key), told(std::move(was)), told(std::move(is))});
    });
  }
  return out.live.size() > known;
}

}  // namespace

settings_difference difference(const argosyd_settings& running, const argosyd_settings& wanted) {
  auto a = running;  // A table binds to what it prints.
  auto b = wanted;
  field_table before;
  field_table after;
  describe(before, a);
  describe(after, b);
  settings_difference out;
  compare_fields(before, after, [&](const auto& path, std::string was, std::string is) {
    if (!is_live(path))
      out.restart.push_back(path);
    else if (path != pools_key || !compare_pools(running.scheduling, wanted.scheduling, out))
      // Pools that only stand in another order, or say nothing, still make another version.
      out.live.push_back({path, told(std::move(was)), told(std::move(is))});
  });
  return out;
}

}  // namespace argosy::settings
