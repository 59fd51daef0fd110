// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/layers.hpp"

#include <memory>
#include <utility>

#include "runtime/settings/config_version.hpp"
#include "runtime/settings/load.hpp"
#include "runtime/settings/reload/live_keys.hpp"
#include "runtime/settings/scheduling_config.hpp"

namespace argosy::argosyd {

using settings::placed_setting;

result<native::round_settings> make_round_settings(const settings::scheduling_settings& from) {
  native::round_settings out;
  const auto make = [&](const std::string& pool) -> result<native::round_settings::config_ptr> {
    auto own = settings::to_config(from, pool);
    if (!own) return fail(own.error());
    return std::make_shared<const scheduling::config>(std::move(*own));
  };
  auto common = make("");  // The empty name stands for pools that are not named.
  if (!common) return fail(common.error());
  out.common = std::move(*common);
  for (const auto& pool : named_pools(from)) {
    auto own = make(pool);
    if (!own) return fail(own.error());
    out.pools[pool] = std::move(*own);
  }
  out.version = settings::config_version(from);
  return out;
}

std::set<std::string> named_pools(const settings::scheduling_settings& settings) {
  std::set<std::string> names;
  for (const auto& pool : settings.pools) {
    names.insert(pool.name);
    names.insert(pool.own.away_pools.begin(), pool.own.away_pools.end());
  }
  return names;
}

std::vector<placed_setting> placed(const model::settings_overrides& over) {
  std::vector<placed_setting> out;
  for (const auto& setting : over) out.push_back({setting, "what was set through the API"});
  return out;
}

result<settings::argosyd_settings> combine(const settings::argosyd_settings& file,
                                           const std::vector<placed_setting>& over) {
  auto out = settings::lay_over(file, over);
  if (!out) return out;
  const auto able = make_round_settings(out->scheduling);
  if (able) return out;
  std::map<std::string, std::string> origins;
  for (const auto& [what, where] : over)
    origins[settings::parse_pool_key(what.name) ? std::string{settings::pools_key} : what.name] =
        where;
  return fail(able.error().code, settings::placed(able.error().detail, origins));
}

std::vector<model::changed_setting> overridden_keys(
    const settings::argosyd_settings& file, const std::map<std::string, std::string>& origins,
    const model::settings_overrides& over) {
  std::vector<model::changed_setting> out;
  for (const auto& [name, value] : over) {
    auto of_file = settings::value_of(file, name);
    const bool says = settings::parse_pool_key(name) ? of_file != "null" : origins.contains(name);
    if (says && of_file != value) out.push_back({name, std::move(of_file), value});
  }
  return out;
}

/// An undo that leaves the overrides as they were took back a reload, which no later process can.
std::vector<model::settings_overrides> overrides_before(
    const std::vector<ledger::put_settings_change>& changes) {
  std::vector<model::settings_overrides> out;
  for (std::size_t i = 1; i < changes.size(); ++i) {
    const auto& before = changes[i - 1].change.overrides;
    const auto& now = changes[i].change;
    if (now.overrides == before) continue;
    if (now.cause == "start")
      out.clear();
    else if (now.cause != "undo")
      out.push_back(before);
    else if (!out.empty())
      out.pop_back();
  }
  return out;
}

}  // namespace argosy::argosyd
