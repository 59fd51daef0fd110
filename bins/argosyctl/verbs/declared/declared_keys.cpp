// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/declared/declared_keys.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/settings/reload/live_keys.hpp"

namespace argosy::ctl {

namespace {

set_keys keys_of(const submit_file::declared_settings& declared) {
  set_keys out;
  for (const auto& setting : declared.settings) out[setting.name] = setting.value;
  return out;
}

std::vector<field_difference> key_differences(const set_keys& before, const set_keys& after) {
  std::vector<field_difference> out;
  for (const auto& [name, value] : before)
    if (const auto now = after.find(name); now == after.end())
      out.push_back({name, value, {}});
    else if (now->second != value)
      out.push_back({name, value, now->second});
  for (const auto& [name, value] : after)
    if (!before.contains(name)) out.push_back({name, {}, value});
  std::ranges::sort(out, {}, &field_difference::field);
  return out;
}

step key_step(declared_kind of, const submit_file::declared_settings& declared,
              const set_keys& before) {
  step out;
  out.of = of;
  out.name = declared.name;
  out.settings = &declared;
  out.fields = key_differences(before, keys_of(declared));
  if (!out.fields.empty()) out.what = before.empty() ? step_kind::create : step_kind::change;
  return out;
}

/// The name under which the server has the key of a step.
std::string name_of_key(const step& one, const std::string& key) {
  return one.of == declared_kind::pool ? settings::name_of_pool_key(one.name, key) : key;
}

}  // namespace

result<void> read_keys(client& server, server_settings& out) {
  const auto all = call<argosy::v1::GetSettingsResponse>(server, "Settings.Get",
                                                         argosy::v1::GetSettingsRequest{});
  if (!all) return fail(all.error());
  out.change = all->change();
  out.mark = all->mark();
  for (const auto& setting : all->settings()) {
    if (!setting.overridden()) continue;
    // A pool that is to have no value of its own has an empty one here.
    const auto value = setting.value().empty() ? std::string{"null"} : setting.value();
    if (const auto of_pool = settings::parse_pool_key(setting.name()))
      out.pools[of_pool->pool][of_pool->key] = value;
    else
      out.settings[setting.name()] = value;
  }
  return {};
}

void add_key_steps(const submit_file::declarations& wanted, const server_settings& there,
                   bool prune, std::vector<step>& out) {
  if (wanted.settings)
    out.push_back(key_step(declared_kind::settings, *wanted.settings, there.settings));
  std::set<std::string> pools;
  for (const auto& pool : wanted.pools) {
    pools.insert(pool.name);
    const auto known = there.pools.find(pool.name);
    out.push_back(key_step(declared_kind::pool, pool,
                           known == there.pools.end() ? set_keys{} : known->second));
  }
  if (!prune || (wanted.pools.empty() && !wanted.settings)) return;
  const auto remove = [&](declared_kind of, const std::string& name, const set_keys& keys) {
    out.push_back({step_kind::remove, of, name, key_differences(keys, {})});
  };
  for (const auto& [name, keys] : there.pools)
    if (!pools.contains(name)) remove(declared_kind::pool, name, keys);
  if (!wanted.settings && !there.settings.empty())
    remove(declared_kind::settings, "Settings", there.settings);
}

argosy::v1::UpdateSettingsRequest request_of(const std::vector<step>& steps,
                                             const server_settings& there, bool new_pools) {
  argosy::v1::UpdateSettingsRequest out;
  out.set_expected_change(there.change);
  out.set_mark(there.mark);
  out.set_new_pools(new_pools);
  for (const auto& one : steps) {
    if (!one.of_keys()) continue;
    for (const auto& field : one.fields) {
      if (field.after.empty()) {
        out.add_unset(name_of_key(one, field.field));
        continue;
      }
      auto& key = *out.add_set();
      key.set_name(name_of_key(one, field.field));
      key.set_value(field.after);
      key.set_where(std::ranges::find(one.settings->settings, field.field,
                                      &submit_file::declared_setting::name)
                        ->where);
    }
  }
  return out;
}

std::string document_of_pool(const std::string& pool, const set_keys& keys) {
  auto out = "kind: Pool\nname: " + pool + "\n";
  for (const auto& [name, value] : keys) out += name + ": " + value + "\n";
  return out;
}

std::string document_of_settings(const set_keys& keys) {
  std::string out = "kind: Settings\n";
  std::string open;  // The path of the section in which the last key stands, with a dot behind it.
  for (const auto& [name, value] : keys) {
    const auto end = name.rfind('.') + 1;
    // The sections that the key shares with the one before stand there already.
    std::size_t same = 0;
    for (std::size_t at = 0; (at = name.find('.', at)) != std::string::npos && at < end; ++at)
      if (open.compare(0, at + 1, name, 0, at + 1) == 0) same = at + 1;
    std::string indent;
    for (std::size_t from = 0; from < end;) {
      const auto dot = name.find('.', from);
      if (from >= same) out += indent + name.substr(from, dot - from) + ":\n";
      indent += "  ";
      from = dot + 1;
    }
    open = name.substr(0, end);
    out += indent + name.substr(end) + ": " + value + "\n";
  }
  return out;
}

}  // namespace argosy::ctl
