// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/reload/live_settings.hpp"

#include <set>
#include <string>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/settings/config_version.hpp"
#include "runtime/settings/reload/difference.hpp"
#include "runtime/settings/scheduling_config.hpp"

namespace argosy::argosyd {

namespace {

constexpr std::size_t undo_steps_max = 100;

/// The pools that have settings, and the pools whose nodes they use.
std::set<std::string> named_pools(const settings::scheduling_settings& settings) {
  std::set<std::string> names;
  for (const auto& pool : settings.pools) {
    names.insert(pool.name);
    names.insert(pool.own.away_pools.begin(), pool.own.away_pools.end());
  }
  return names;
}

/// Says which keys need a restart, and where each is set.
failure refuse(const std::vector<std::string>& keys,
               const std::map<std::string, std::string>& origins) {
  std::string text;
  for (const auto& key : keys) {
    const auto place = origins.find(key);
    text += (text.empty() ? "" : ", ") + key + " (" +
            (place == origins.end() ? "which is at its default now" : place->second) + ")";
  }
  return fail(ec::conflict,
              "nothing has changed: these settings differ from those that run, and need a restart "
              "of argosyd: " +
                  text);
}

}  // namespace

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

result<settings::argosyd_settings> live_settings::find(native::settings_wish wish) const {
  if (wish == native::settings_wish::undo) {
    if (before_.empty())
      return fail(ec::not_found,
                  "there is nothing to take back: no change has happened since argosyd started, or "
                  "all have been taken back");
    auto out = running_;
    out.scheduling = before_.back();
    return out;
  }
  auto loaded = read_();
  if (!loaded) return fail(loaded.error());
  if (const auto different = settings::difference(running_, loaded->value);
      !different.restart.empty())
    return refuse(different.restart, loaded->origins);
  return std::move(loaded->value);
}

result<native::new_settings> live_settings::look(native::settings_wish wish) {
  found_.reset();
  auto wanted = find(wish);
  if (!wanted) return fail(wanted.error());
  auto rounds = make_round_settings(wanted->scheduling);
  if (!rounds) return fail(rounds.error());
  native::new_settings out;
  out.rounds = std::make_shared<const native::round_settings>(std::move(*rounds));
  out.version_before = settings::config_version(running_.scheduling);
  out.changed = settings::difference(running_, *wanted).live;
  out.text = settings::config_text(wanted->scheduling);
  found_ = std::move(*wanted);
  wish_ = wish;
  return out;
}

native::first_settings live_settings::first(const std::string& text_before) const {
  native::first_settings out;
  out.version = settings::config_version(running_.scheduling);
  out.text = settings::config_text(running_.scheduling);
  if (text_before.empty()) return out;
  auto section = settings::load_scheduling(text_before, "the settings before");
  if (!section) return out;
  auto before = running_;
  before.scheduling = std::move(*section);
  out.changed = settings::difference(before, running_).live;
  return out;
}

void live_settings::take() {
  ARGOSY_CHECK(found_.has_value());
  if (wish_ == native::settings_wish::undo)
    before_.pop_back();
  else
    before_.push_back(std::move(running_.scheduling));
  if (before_.size() > undo_steps_max) before_.erase(before_.begin());
  running_ = *std::exchange(found_, std::nullopt);
}

}  // namespace argosy::argosyd
