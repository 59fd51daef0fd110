// SPDX-License-Identifier: Apache-2.0
// The keys of the `scheduling:` section that have a form of their own, and the rules between keys.
#include "runtime/settings/scheduling_settings.hpp"

#include <algorithm>
#include <set>

#include "runtime/base/check.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/scheduling/rows.hpp"
#include "runtime/settings/scheduling_keys.hpp"

namespace argosy::settings {

namespace {

using name_set = std::set<std::string>;

complaint check_quantity(const std::string& text) {
  if (const auto amount = model::parse_quantity(text, model::resource_unit::milli); !amount)
    return amount.error().detail;
  return std::nullopt;
}

complaint check_fractions(const number_list& list) {
  for (const auto& [name, fraction] : list)
    if (fraction < 0 || fraction > 1) return "'" + name + "' must be from 0.0 to 1.0";
  return std::nullopt;
}

/// A number of thousandths as people write it.
std::string quantity_of(std::int64_t milli) {
  if (milli % 1000 != 0) return std::to_string(milli) + "m";
  return model::format_quantity(milli / 1000, model::resource_unit::byte);
}

field& add_structured(field_table& table, scheduling_settings& item, const scheduling::key& which,
                      std::string path) {
  const auto add = [&](auto& list) -> field& {
    return table.value(std::move(path), list, std::string{which.doc});
  };
  if (which.path == "resources") return add(item.resources);
  if (which.path == "indexedResources") return add(item.indexed_resources);
  if (which.path == "floatingResources") return add(item.floating);
  if (which.path == "wellKnownNodeTypes") return add(item.node_types);
  if (which.path == "priorityClasses") return add(item.classes);
  ARGOSY_CHECK(which.path == "pools");
  return add(item.pools);
}

template <class List>
name_set unique_names(const List& list, const std::string& key, problem_list& problems) {
  name_set names;
  for (const auto& entry : list) {
    if (entry.name.empty()) problems.push_back(key + " has an item without a name");
    if (!names.insert(entry.name).second)
      problems.push_back(key + " names '" + entry.name + "' twice");
  }
  return names;
}

void check_floating(const scheduling_settings& item, const name_set& of_nodes,
                    problem_list& problems) {
  unique_names(item.floating, "scheduling.floatingResources", problems);
  for (const auto& resource : item.floating)
    if (of_nodes.contains(resource.name))
      problems.push_back("scheduling.floatingResources names '" + resource.name +
                         "', which nodes have by scheduling.resources; a resource is of nodes or "
                         "of pools");
}

/// The names of resources in limits and weights.
void check_lists(const scheduling_settings& item, problem_list& problems) {
  check_resources(item, "scheduling.maximumResourceFractionToSchedule",
                  names_of(item.keys.max_fraction_to_schedule), {}, problems);
  const auto& keys = item.keys;
  const std::pair<const char*, const scheduling::fraction_list&> buckets[] = {
      {"maximumResourceSchedulingRate", keys.resource_rate},
      {"maximumResourceSchedulingBurst", keys.resource_burst},
      {"maximumPerQueueResourceSchedulingRate", keys.queue_resource_rate},
      {"maximumPerQueueResourceSchedulingBurst", keys.queue_resource_burst}};
  for (const auto& [name, list] : buckets)
    check_resources(item, std::string("scheduling.") + name, names_of(list), {}, problems);
  check_resources(item, "scheduling.costMultipliers", names_of(item.keys.cost_multipliers),
                  names_of(scheduling::default_config(item.keys.base).cost_multipliers), problems);
  for (const auto& entry : item.classes)
    check_resources(item, "scheduling.priorityClasses: '" + entry.name + "'",
                    names_of(entry.queue_limit), {}, problems);
  for (const auto& pool : item.pools) {
    const auto key = "scheduling.pools: '" + pool.name + "'";
    check_resources(item, key, pool.own.unscheduled_resources, {}, problems);
    check_resources(item, key, names_of(pool.own.max_fraction_to_schedule), {}, problems);
  }
}

}  // namespace

scheduling_settings::scheduling_settings(scheduling::preset name)
    : keys(scheduling::default_config(name)) {
  // The classes' flags as they are before urgencyVictims changes them.
  const auto usual = scheduling::default_config();
  for (const auto& type : usual.resources)
    resources.push_back({type.name, quantity_of(type.milli_per_step)});
  for (const auto& type : usual.indexed_resources)
    for (const auto& base : usual.resources)
      if (base.name == type.name)
        indexed_resources.push_back(
            {type.name, quantity_of(type.resolution * base.milli_per_step)});
  for (const auto& entry : usual.classes) {
    auto& made = classes.emplace_back();
    made.name = entry.name;
    made.priority = entry.priority;
    made.preemptible = entry.fair_share_preemptible;
  }
  keys.resources.clear();
  keys.indexed_resources.clear();
  keys.classes.clear();
}

void describe(field_table& table, resource_type_settings& item) {
  table.value("name", item.name, "", not_empty());
  table.value("resolution", item.resolution, "", rule<std::string>{check_quantity});
}

void describe(field_table& table, away_type_settings& item) {
  table.value("priority", item.priority, "", at_least<std::int32_t>(0));
  table.value("nodeType", item.node_type, "", not_empty());
}

void describe(field_table& table, priority_class_settings& item) {
  table.value("name", item.name, "", resource_name());
  table.value("priority", item.priority, "", at_least<std::int32_t>(0));
  table.value("preemptible", item.preemptible, "");
  table.value("fairSharePreemptible", item.fair_share_preemptible, "");
  table.value("urgencyPreemptible", item.urgency_preemptible, "");
  table.value("minRunTime", item.min_run_time, "");
  table.value("maximumResourceFractionPerQueue", item.queue_limit, "",
              rule<number_list>{check_fractions});
  table.value("awayNodeTypes", item.away, "");
}

void describe(field_table& table, node_type_settings& item) {
  table.value("name", item.name, "", not_empty());
  table.value("taints", item.taints, "");
}

void describe(field_table& table, floating_resource_settings& item) {
  table.value("name", item.name, "", not_empty());
  table.value("total", item.total, "", rule<std::string>{check_quantity});
  table.value("pools", item.pools, "");
}

void describe(field_table& table, pool_settings& item) {
  table.value("name", item.name, "", resource_name());
  for (const auto& which : scheduling::all_keys()) {
    using enum scheduling::key_scope;
    if (which.scope != pools_too && which.scope != pools_only) continue;
    const auto name = std::string{which.path.substr(which.path.rfind('.') + 1)};
    if (which.has_value())
      table.bound(name, bind_pool_key(which, item.own, item.said), std::string{which.doc});
    else
      table.value(name, item.tolerations, "", tolerations());
  }
}

void describe_scheduling(field_table& table, scheduling_settings& item, const std::string& prefix) {
  for (const auto& which : scheduling::all_keys()) {
    using enum scheduling::key_scope;
    if (which.scope != section && which.scope != pools_too) continue;
    auto path = prefix + std::string{which.path};
    if (which.kind == scheduling::key_kind::heading)
      table.section(std::move(path), std::string{which.doc});
    else if (which.kind == scheduling::key_kind::structured)
      add_structured(table, item, which, std::move(path));
    else
      table.bound(std::move(path), bind_key(which, item.keys), std::string{which.doc}).by_preset =
          scheduling::follows_preset(which);
  }
}

void check_resources(const scheduling_settings& item, const std::string& key,
                     const std::vector<std::string>& names, const std::vector<std::string>& usual,
                     problem_list& problems) {
  const auto in = [](const auto& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& entry) { return entry.name == name; });
  };
  for (const auto& name : names) {
    if (in(item.resources, name) || in(item.floating, name)) continue;
    if (item.keys.pod_limits && name == scheduling::pod_resource) continue;
    if (std::find(usual.begin(), usual.end(), name) != usual.end()) continue;
    problems.push_back(key + " names '" + name +
                       "', which is neither in scheduling.resources nor in "
                       "scheduling.floatingResources");
  }
}

void check(const scheduling_settings& item, problem_list& problems) {
  const auto resources = unique_names(item.resources, "scheduling.resources", problems);
  const auto classes = unique_names(item.classes, "scheduling.priorityClasses", problems);
  const auto node_types = unique_names(item.node_types, "scheduling.wellKnownNodeTypes", problems);
  check_floating(item, resources, problems);
  unique_names(item.pools, "scheduling.pools", problems);
  if (resources.empty()) problems.emplace_back("scheduling.resources is empty; name at least cpu");
  for (const auto& indexed : item.indexed_resources)
    if (!resources.contains(indexed.name))
      problems.push_back("scheduling.indexedResources names '" + indexed.name +
                         "', which is not in scheduling.resources");
  if (!classes.contains(item.keys.default_class))
    problems.push_back("scheduling.defaultPriorityClassName is '" + item.keys.default_class +
                       "', which is not in scheduling.priorityClasses");
  for (const auto& entry : item.classes)
    for (const auto& away : entry.away)
      if (!node_types.contains(away.node_type))
        problems.push_back("scheduling.priorityClasses: '" + entry.name + "' is away on '" +
                           away.node_type + "', which is not in scheduling.wellKnownNodeTypes");
  check_lists(item, problems);
}

}  // namespace argosy::settings
