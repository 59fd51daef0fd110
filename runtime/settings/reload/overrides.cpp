// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/reload/overrides.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/base/suggest.hpp"
#include "runtime/settings/load.hpp"
#include "runtime/settings/reload/live_keys.hpp"

namespace argosy::settings {

namespace {

template <class List>
auto find_pool(List& pools, const std::string& name) {
  return std::ranges::find(pools, name, &pool_settings::name);
}

bool says_nothing(const pool_settings& pool) {
  return pool.said.empty() && pool.tolerations.empty();
}

/// Sets the key of a pool, which is added if it is not named yet.
void set_of_pool(const pool_key& which, const placed_setting& setting, scheduling_settings& onto,
                 problem_list& problems) {
  auto pool = find_pool(onto.pools, which.pool);
  const bool is_new = pool == onto.pools.end();
  if (is_new) pool = onto.pools.insert(pool, pool_settings{});
  field_table table;
  describe(table, *pool);
  if (is_new) table.set("name", which.pool, setting.where, problems);
  table.set(which.key, setting.what.value, setting.where, problems);
  if (is_new && says_nothing(*pool)) onto.pools.erase(pool);
}

failure every_problem(const problem_list& problems) {
  std::string text;
  for (const auto& problem : problems) text.append(text.empty() ? "" : "\n").append(problem);
  return fail(ec::invalid_argument, std::move(text));
}

/// The place of the key of a pool of which a problem such as "scheduling.pools: 'gpu' names 'x'"
/// tells: the last one of this pool, and of those one that says x. Empty: it tells of none.
std::string place_of_pool(const std::string& problem, const std::vector<placed_setting>& over) {
  std::vector<std::string> words;  // Those in quotes.
  for (auto from = problem.find('\''); from != std::string::npos;) {
    const auto end = problem.find('\'', from + 1);
    if (end == std::string::npos) break;
    words.push_back(problem.substr(from + 1, end - from - 1));
    from = problem.find('\'', end + 1);
  }
  std::string out;
  if (!problem.starts_with(pools_key) || words.empty()) return out;
  bool exact = false;
  for (const auto& [what, where] : over) {
    const auto of_pool = parse_pool_key(what.name);
    if (!of_pool || of_pool->pool != words.front()) continue;
    const bool says = words.size() > 1 && what.value.find(words[1]) != std::string::npos;
    if (says || !exact) out = where;
    exact = exact || says;
  }
  return out;
}

/// What the rules between keys say, each once, behind the place of a key that was set.
problem_list broken_rules(const argosyd_settings& item, const std::vector<placed_setting>& over,
                          const std::map<std::string, std::string>& origins) {
  problem_list found;
  check(item, found);
  problem_list out;
  for (const auto& problem : found) {
    const auto where = place_of_pool(problem, over);
    auto text = where.empty() ? placed(problem, origins) : where + ": " + problem;
    if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

complaint wrong_name(const std::string& name) {
  if (const auto of_pool = parse_pool_key(name)) {
    if (std::ranges::find(pool_keys(), of_pool->key) != pool_keys().end()) return std::nullopt;
    return "pools have no key '" + of_pool->key + "'" + did_you_mean(of_pool->key, pool_keys());
  }
  if (name == pools_key) return "set the keys of one pool, such as scheduling.pools.gpu.awayPools";
  if (std::ranges::find(live_keys(), name) != live_keys().end()) return std::nullopt;
  argosyd_settings item;
  field_table table;
  describe(table, item);
  const auto* known = table.find(name);
  if (known != nullptr && known->bound == nullptr) return "is a section; name a key below it";
  if (known != nullptr)
    return "cannot change while argosyd runs; set it in its configuration file and start it again";
  for (const auto& key : live_keys())
    if (key.ends_with("." + name)) return "there is no such setting; did you mean '" + key + "'?";
  return "there is no such setting" + did_you_mean(name, live_keys());
}

result<argosyd_settings> lay_over(const argosyd_settings& file,
                                  const std::vector<placed_setting>& over) {
  auto out = file;
  field_table table;
  describe(table, out);
  problem_list problems;
  std::map<std::string, std::string> origins;
  for (const auto& setting : over) {
    const auto& name = setting.what.name;
    if (const auto wrong = wrong_name(name)) {
      problems.push_back(setting.where + ": " + name + ": " + *wrong);
    } else if (const auto of_pool = parse_pool_key(name)) {
      set_of_pool(*of_pool, setting, out.scheduling, problems);
      origins[std::string{pools_key}] = setting.where;
    } else {
      table.set(name, setting.what.value, setting.where, problems);
      origins[name] = setting.where;
    }
  }
  if (problems.empty()) problems = broken_rules(out, over, origins);
  if (!problems.empty()) return every_problem(problems);
  return out;
}

std::string value_of(const argosyd_settings& from, const std::string& name) {
  field_table table;
  if (const auto of_pool = parse_pool_key(name)) {
    const auto found = find_pool(from.scheduling.pools, of_pool->pool);
    auto pool = found == from.scheduling.pools.end() ? pool_settings{} : *found;
    describe(table, pool);
    const auto* field = table.find(of_pool->key);
    return field == nullptr ? std::string{} : field->bound->print();
  }
  auto copy = from;
  describe(table, copy);
  const auto* field = table.find(name);
  return field == nullptr || !field->bound ? std::string{} : field->bound->print();
}

std::vector<told_setting> tell_live(const argosyd_settings& from) {
  auto copy = from;
  field_table table;
  describe(table, copy);
  std::vector<told_setting> out;
  for (const auto& name : live_keys()) out.push_back({name, table.find(name)->bound->print()});
  for (auto& pool : copy.scheduling.pools) {
    field_table of_pool;
    describe(of_pool, pool);
    for (const auto& key : pool_keys())
      if (auto value = of_pool.find(key)->bound->print();
          value != "null" && (key != "tolerations" || !pool.tolerations.empty()))
        out.push_back({name_of_pool_key(pool.name, key), std::move(value)});
  }
  return out;
}

}  // namespace argosy::settings
