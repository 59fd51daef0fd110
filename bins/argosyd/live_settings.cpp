// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/live_settings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "bins/argosyd/layers.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/settings/checks/warnings.hpp"
#include "runtime/settings/config_version.hpp"
#include "runtime/settings/reload/difference.hpp"
#include "runtime/settings/reload/live_keys.hpp"
#include "runtime/settings/reload/overrides.hpp"

namespace argosy::argosyd {

namespace {

constexpr std::size_t undo_steps_max = 100;

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

/// Whether the name is this one, or one below it.
bool is_of(const std::string& name, const std::string& above) {
  return name.starts_with(above) && (name.size() == above.size() || name[above.size()] == '.');
}

}  // namespace

live_settings::live_settings(settings::argosyd_settings file,
                             std::function<result<loaded_settings>()> read, const history& before,
                             std::function<void(const settings::argosyd_settings&)> use)
    : now_{std::move(file), {}}, running_(now_.file), read_(std::move(read)), use_(std::move(use)) {
  for (auto& over : overrides_before(before)) before_.push_back({now_.file, std::move(over)});
  if (!before.empty()) lay_over_at_start(before.back().change.overrides);
  use_(running_);
}

/// A control plane has to come up, also when an operator has changed the file so that not all
/// overrides go with it any more.
void live_settings::lay_over_at_start(const model::settings_overrides& over) {
  if (auto all = combine(now_.file, placed(over))) {
    now_.over = over;
    running_ = std::move(*all);
    return;
  }
  for (const auto& setting : over) {
    now_.over.push_back(setting);
    if (auto more = combine(now_.file, placed(now_.over))) {
      running_ = std::move(*more);
    } else {
      now_.over.pop_back();
      dropped_.push_back(setting.name + ": " + setting.value + ": " + more.error().detail);
    }
  }
}

result<live_settings::found_layers> live_settings::reread() const {
  auto loaded = read_();
  if (!loaded) return fail(loaded.error());
  auto both = combine(loaded->value, placed(now_.over));
  if (!both)
    return fail(both.error().code, both.error().detail +
                                       "\nnothing has changed; take it back with argosyctl config "
                                       "unset, or change the file");
  if (const auto different = settings::difference(running_, *both); !different.restart.empty())
    return refuse(different.restart, loaded->origins);
  auto overridden = overridden_keys(loaded->value, loaded->origins, now_.over);
  return found_layers{{std::move(loaded->value), now_.over},
                      std::move(*both),
                      native::settings_wish::reload,
                      std::move(overridden)};
}

/// Whoever mistypes the name of a pool is told so, and does not set up a pool that nobody has.
result<void> live_settings::check_pools(const native::settings_change_request& request) const {
  const auto& edit = request.edit;
  std::vector<std::string> known = request.pools;
  known.emplace_back("default");
  for (const auto& pool : named_pools(running_.scheduling)) known.push_back(pool);
  for (const auto& [name, value] : now_.over)
    if (const auto of_pool = settings::parse_pool_key(name)) known.push_back(of_pool->pool);
  for (const auto& [what, where] : edit.set) {
    const auto of_pool = settings::parse_pool_key(what.name);
    if (!of_pool || edit.new_pools || std::ranges::find(known, of_pool->pool) != known.end())
      continue;
    return fail(ec::not_found,
                (where.empty() ? "" : where + ": ") + "pool '" + of_pool->pool +
                    "' is not known: no cluster has it, and no setting names it; argosyctl "
                    "sets it up with --new" +
                    did_you_mean(of_pool->pool, known));
  }
  return {};
}

result<void> live_settings::check_unset(const std::string& name) const {
  const auto is_named = [&](const auto& setting) { return is_of(setting.name, name); };
  if (std::ranges::any_of(now_.over, is_named) || !settings::wrong_name(name)) return {};
  const auto is_below = [&](const std::string& key) { return is_of(key, name); };
  if (name == settings::pools_key || std::ranges::any_of(settings::live_keys(), is_below))
    return {};
  if (name.starts_with(std::string{settings::pools_key} + "."))
    return fail(ec::not_found, name + ": nothing of this name was set through the API");
  return fail(ec::invalid_argument, name + ": " + *settings::wrong_name(name));
}

result<live_settings::found_layers> live_settings::edited(
    const native::settings_change_request& request) const {
  const auto& edit = request.edit;
  auto over = now_.over;
  for (const auto& name : edit.unset) {
    if (auto ok = check_unset(name); !ok) return fail(ok.error());
    std::erase_if(over, [&](const auto& setting) { return is_of(setting.name, name); });
  }
  // What was there before goes with the file, so that the mistakes are those of the request.
  auto all = placed(over);
  std::set<std::string> names;
  for (const auto& [what, where] : edit.set) {
    if (!names.insert(what.name).second)
      return fail(ec::invalid_argument, what.name + ": the request sets it twice");
    std::erase_if(all, [&](const auto& known) { return known.what.name == what.name; });
    all.push_back({what, where.empty() ? "the request" : where});
  }
  std::size_t bytes = 0;
  for (const auto& setting : all) bytes += setting.what.name.size() + setting.what.value.size();
  if (bytes > settings::overrides_bytes_max)
    return fail(ec::too_large, "what is set through the API would have " + std::to_string(bytes) +
                                   " bytes; at most " +
                                   std::to_string(settings::overrides_bytes_max) +
                                   " are kept, put some of it into the file");
  auto both = combine(now_.file, all);
  if (!both) return fail(both.error());
  if (auto ok = check_pools(request); !ok) return fail(ok.error());
  found_layers out{{now_.file, {}}, std::move(*both), native::settings_wish::update};
  for (const auto& [what, where] : all)
    out.now.over.push_back({what.name, settings::value_of(out.result, what.name)});
  std::ranges::sort(out.now.over, {}, &model::setting_override::name);
  return out;
}

result<live_settings::found_layers> live_settings::find(
    const native::settings_change_request& request) const {
  if (request.wish == native::settings_wish::update) return edited(request);
  if (request.wish == native::settings_wish::reload) return reread();
  if (before_.empty())
    return fail(ec::not_found,
                "there is nothing to take back: no change is left, since argosyd started or before "
                "that through the API");
  auto both = combine(before_.back().file, placed(before_.back().over));
  if (!both) return fail(both.error());
  return found_layers{before_.back(), std::move(*both), native::settings_wish::undo};
}

result<native::new_settings> live_settings::look(const native::settings_change_request& request) {
  found_.reset();
  auto wanted = find(request);
  if (!wanted) return fail(wanted.error());
  auto rounds = make_round_settings(wanted->result.scheduling);
  if (!rounds) return fail(rounds.error());
  native::new_settings out;
  out.outcome.version_before = settings::config_version(running_.scheduling);
  out.outcome.version = rounds->version;
  out.outcome.changed = settings::difference(running_, wanted->result).live;
  out.outcome.overridden = wanted->overridden;
  out.outcome.overrides_changed = wanted->now.over != now_.over;
  out.outcome.warnings = settings::unknown_pools(wanted->result.scheduling, request.pools);
  out.rounds = std::make_shared<const native::round_settings>(std::move(*rounds));
  out.retention = wanted->result.retention;
  out.text = settings::config_text(wanted->result.scheduling);
  out.overrides = wanted->now.over;
  found_ = std::move(*wanted);
  return out;
}

native::first_settings live_settings::first(const std::string& text_before) const {
  native::first_settings out;
  out.version = settings::config_version(running_.scheduling);
  out.text = settings::config_text(running_.scheduling);
  out.overrides = now_.over;
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
  if (found_->wish == native::settings_wish::undo)
    before_.pop_back();
  else
    before_.push_back(std::move(now_));
  if (before_.size() > undo_steps_max) before_.erase(before_.begin());
  now_ = std::move(found_->now);
  running_ = std::move(found_->result);
  found_.reset();
  use_(running_);
}

native::settings_listing live_settings::list() const {
  native::settings_listing out;
  out.version = settings::config_version(running_.scheduling);
  std::map<std::string, std::string> of_file;
  for (auto& [name, value] : settings::tell_live(now_.file)) of_file[name] = std::move(value);
  std::map<std::string, std::string> over;
  for (const auto& [name, value] : now_.over) over[name] = value;
  for (auto& [name, value] : settings::tell_live(running_))
    out.settings.push_back({name, std::move(value), of_file[name], over.erase(name) > 0});
  // What is left are keys of pools that are to say nothing.
  for (const auto& [name, value] : over)
    out.settings.push_back({name, value == "null" ? "" : value, of_file[name], true});
  for (const auto& view : running_.rest.views) out.views.push_back({view.name, view.address});
  return out;
}

}  // namespace argosy::argosyd
