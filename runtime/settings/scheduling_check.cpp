// SPDX-License-Identifier: Apache-2.0
// Rules between keys of the `scheduling:` section.
#include <algorithm>
#include <set>

#include "runtime/scheduling/rows.hpp"
#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::settings {

namespace {

using name_set = std::set<std::string>;

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
