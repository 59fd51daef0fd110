// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/config.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace argosy::scheduling {

namespace {

constexpr std::array<std::string_view, 5> preset_names = {"argosy", "current", "unified", "classic",
                                                          "lottery"};

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

/// Everything that Armada does and the other presets mend.
void keep_surprises(config& conf) {
  conf.exact_index = false;
  conf.isolated_trials = false;
  conf.needed_victims_only = false;
  conf.protect_whole_gang = false;
  conf.return_room_only = false;
  conf.soft_taints_prefer = false;
  conf.hard_preemption_budget = false;
  conf.explicit_victims = false;
}

void apply_preset(config& conf, preset name) {
  conf.base = name;
  switch (name) {
    case preset::argosy:
      break;
    case preset::current:
      keep_surprises(conf);
      break;
    case preset::unified:
      conf.protected_fraction = 0;
      conf.evicted_first = false;
      break;
    case preset::classic:
      conf.cost = cost_kind::weighted_sum;
      conf.cost_multipliers = {{"cpu", 1.0}, {"nvidia.com/gpu", 1.0}};
      conf.class_before_cost = false;
      conf.class_in_job_order = false;
      conf.nodes = node_preference::sole_user_first;
      conf.gang_in_one_cluster = true;
      break;
    case preset::lottery:
      conf.cost = cost_kind::per_cpu_factor;
      conf.selection = queue_selection::slices_then_lottery;
      conf.usage_priority = true;
      conf.class_before_cost = false;
      conf.class_in_job_order = false;
      conf.evict_for_balance = false;
      conf.urgency = urgency_rule::never;
      conf.disable_fair_share_preemption = true;
      conf.disable_urgency_preemption = true;
      conf.gang_in_one_cluster = true;
      break;
  }
}

result<void> check_fraction(std::string_view key, double value) {
  if (std::isnan(value) || value < 0)
    return fail(ec::invalid_argument, "scheduling." + std::string(key) + " must be 0 or more");
  return {};
}

template <class List>
result<void> check_unique(std::string_view key, const List& list) {
  std::vector<std::string_view> names;
  for (const auto& entry : list) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    return fail(ec::invalid_argument,
                "scheduling." + std::string(key) + " names '" + std::string(*twice) + "' twice");
  return {};
}

result<void> check_resources(const config& conf) {
  if (conf.resources.empty())
    return fail(ec::invalid_argument, "scheduling.resources is empty; name at least cpu");
  if (auto ok = check_unique("resources", conf.resources); !ok) return ok;
  if (auto ok = check_unique("floatingResources", conf.floating); !ok) return ok;
  for (const auto& indexed : conf.indexed_resources) {
    const auto known = std::any_of(conf.resources.begin(), conf.resources.end(),
                                   [&](const auto& type) { return type.name == indexed.name; });
    if (!known)
      return fail(ec::invalid_argument, "scheduling.indexedResources names '" + indexed.name +
                                            "', which is not in scheduling.resources");
    if (indexed.resolution < 1)
      return fail(ec::invalid_argument, "scheduling.indexedResources: the resolution of '" +
                                            indexed.name + "' must be at least one step");
  }
  return {};
}

result<void> check_classes(const config& conf) {
  if (auto ok = check_unique("priorityClasses", conf.classes); !ok) return ok;
  const auto known = [&](const auto& name) {
    return std::any_of(conf.classes.begin(), conf.classes.end(),
                       [&](const auto& entry) { return entry.name == name; });
  };
  if (!known(conf.default_class))
    return fail(ec::invalid_argument, "scheduling.defaultPriorityClassName is '" +
                                          conf.default_class +
                                          "', which is not in scheduling.priorityClasses");
  for (const auto& entry : conf.classes) {
    for (const auto& away : entry.away) {
      const auto found = std::any_of(conf.node_types.begin(), conf.node_types.end(),
                                     [&](const auto& type) { return type.name == away.node_type; });
      if (!found)
        return fail(ec::invalid_argument, "class '" + entry.name + "' is away on node type '" +
                                              away.node_type +
                                              "', which is not in scheduling.wellKnownNodeTypes");
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(preset name) noexcept {
  return preset_names[static_cast<std::size_t>(name)];
}

result<preset> parse_preset(std::string_view name) {
  const auto found = std::find(preset_names.begin(), preset_names.end(), name);
  if (found == preset_names.end())
    return fail(ec::invalid_argument,
                "no preset '" + std::string(name) +
                    "'; there are argosy, current, unified, classic and lottery");
  return static_cast<preset>(found - preset_names.begin());
}

config default_config(preset name) {
  config conf;
  conf.resources = {
      {"cpu", 1}, {"memory", 1000}, {"ephemeral-storage", 1000}, {"nvidia.com/gpu", 1000}};
  conf.classes = {{.name = "armada-default", .priority = 30000},
                  {.name = "armada-preemptible",
                   .priority = 20000,
                   .fair_share_preemptible = true,
                   .urgency_preemptible = true}};
  conf.default_class = "armada-default";
  conf.indexed_resources = {{"nvidia.com/gpu", 1},
                            {"cpu", 100},
                            {"memory", 100 * mebibyte},
                            {"ephemeral-storage", gibibyte}};
  apply_preset(conf, name);
  return conf;
}

config bench_config(preset name) {
  config conf;
  conf.resources = {{"cpu", 1}, {"memory", 1000}, {"nvidia.com/gpu", 1000}};
  conf.classes = {
      {.name = "low", .priority = 500, .fair_share_preemptible = true, .urgency_preemptible = true},
      {.name = "std",
       .priority = 1000,
       .fair_share_preemptible = true,
       .urgency_preemptible = true},
      {.name = "std-np", .priority = 1000},
      {.name = "urgent", .priority = 2000}};
  conf.default_class = "std";
  conf.indexed_resources = {{"nvidia.com/gpu", 1}, {"cpu", 100}, {"memory", 100 * mebibyte}};
  conf.indexed_labels = {"hw", "rack", "zone"};
  conf.indexed_taints = {"gpu", "team"};
  apply_preset(conf, name);
  conf.protected_fraction = 0;
  return conf;
}

result<void> validate(const config& conf) {
  if (auto ok = check_resources(conf); !ok) return ok;
  if (auto ok = check_classes(conf); !ok) return ok;
  if (auto ok = check_fraction("protectedFractionOfFairShare", conf.protected_fraction); !ok)
    return ok;
  if (std::isnan(conf.eviction_probability) || conf.eviction_probability < 0 ||
      conf.eviction_probability > 1)
    return fail(ec::invalid_argument, "scheduling.eviction.probability must be from 0 to 1");
  for (const auto& [name, fraction] : conf.max_fraction_to_schedule) {
    if (auto ok = check_fraction("maximumResourceFractionToSchedule." + name, fraction); !ok)
      return ok;
  }
  return {};
}

}  // namespace argosy::scheduling
