// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/config.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/node_index.hpp"
#include "runtime/scheduling/keys.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

namespace {

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
  conf.minimum_cardinality = false;
  conf.urgency = urgency_rule::preemptible_strictly_below;
  conf.node_order = {node_key::no_preemption, node_key::best_fit};
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
      conf.urgency = urgency_rule::any_lower;
      conf.node_order = {node_key::no_preemption, node_key::lowest_victim_class,
                         node_key::largest_victim_share, node_key::best_fit};
      break;
    case preset::classic:
      conf.cost = cost_kind::weighted_sum;
      conf.class_before_cost = false;
      conf.class_in_job_order = false;
      conf.node_order = {node_key::no_preemption, node_key::sole_user_node, node_key::empty_node,
                         node_key::shared_node, node_key::best_fit};
      conf.urgency = urgency_rule::preemptible_lower;
      conf.evict_contested_only = true;
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
      conf.node_order = {node_key::best_fit};
      conf.gang_in_one_cluster = true;
      break;
  }
  mark_victims(conf);
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
  if (conf.indexed_resources.size() > engine::indexed_max)
    return fail(ec::invalid_argument,
                "scheduling.indexedResources names " +
                    std::to_string(conf.indexed_resources.size()) + " resources; at most " +
                    std::to_string(engine::indexed_max) +
                    " can be indexed, so leave out those that jobs seldom ask for");
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

/// Below 0 are the rows of what evicted jobs and those of other pools leave.
result<void> check_priorities(const priority_class& entry) {
  const std::string key = "scheduling.priorityClasses: ";
  if (entry.priority < 0)
    return fail(ec::invalid_argument, key + "the priority of '" + entry.name + "' is " +
                                          std::to_string(entry.priority) +
                                          "; it must be 0 or more");
  if (entry.away.size() > engine::away_types_max)
    return fail(ec::invalid_argument, key + "'" + entry.name + "' has " +
                                          std::to_string(entry.away.size()) +
                                          " awayNodeTypes; a class may have at most " +
                                          std::to_string(engine::away_types_max));
  for (const auto& away : entry.away)
    if (away.priority < 0)
      return fail(ec::invalid_argument, key + "'" + entry.name + "' is away on '" + away.node_type +
                                            "' at priority " + std::to_string(away.priority) +
                                            "; it must be 0 or more");
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
    if (auto ok = check_priorities(entry); !ok) return ok;
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

bool has(const std::vector<node_key>& order, node_key key) {
  return std::find(order.begin(), order.end(), key) != order.end();
}

result<void> check_node_order(const config& conf) {
  if (conf.node_order.front() == node_key::no_preemption) return {};
  if (has(conf.node_order, node_key::no_preemption))
    return fail(
        ec::invalid_argument,
        "scheduling.nodeOrder: noPreemption must come first, or a job would push out others "
        "while a free node is left");
  if (conf.evict_for_balance || conf.urgency != urgency_rule::never)
    return fail(ec::invalid_argument,
                "scheduling.nodeOrder: noPreemption must come first; it may only be left out with "
                "eviction.enabled false and urgencyVictims none");
  return {};
}

bool may_be_victim(urgency_rule rule, const priority_class& entry) {
  switch (rule) {
    case urgency_rule::preemptible_strictly_below:
    case urgency_rule::preemptible_lower:
      return entry.fair_share_preemptible;
    case urgency_rule::any_lower:
      return true;
    case urgency_rule::urgency_preemptible:
    case urgency_rule::never:
      break;
  }
  return entry.urgency_preemptible;
}

result<void> check_urgency(const config& conf) {
  const auto marked = [&](const priority_class& entry) {
    return entry.urgency_preemptible == may_be_victim(conf.urgency, entry);
  };
  if (!std::all_of(conf.classes.begin(), conf.classes.end(), marked))
    return fail(ec::invalid_argument,
                "scheduling.urgencyVictims was changed without mark_victims(), which follows it");
  if (conf.explicit_victims()) return {};
  if (conf.return_room_only)
    return fail(ec::invalid_argument,
                "scheduling.urgencyVictims: preemptibleStrictlyBelow finds its victims among those "
                "that cannot return, so it needs return: all");
  const std::vector<node_key> plain{node_key::no_preemption, node_key::best_fit};
  if (conf.node_order != plain)
    return fail(
        ec::invalid_argument,
        "scheduling.urgencyVictims: preemptibleStrictlyBelow does not know its victims when "
        "it takes a node, so it needs nodeOrder: [noPreemption, bestFit]");
  return {};
}

result<void> check_costs(const config& conf) {
  // Armada takes that as it is.
  if (conf.base == preset::current && conf.cost == cost_kind::dominant_resource) return {};
  const auto counts = [&](const auto& resource) { return weight_of(conf, resource.name) > 0; };
  if (std::any_of(conf.resources.begin(), conf.resources.end(), counts) ||
      std::any_of(conf.floating.begin(), conf.floating.end(), counts))
    return {};
  return fail(ec::invalid_argument,
              "scheduling.costMultipliers gives no resource a weight above 0, so that nothing "
              "would cost anything; give one to cpu, or leave out the key");
}

/// Armada looks for the values of indexed labels alone; other presets find those of any label.
result<void> check_default_label(const config& conf) {
  const auto& label = conf.default_uniformity_label;
  const auto& indexed = conf.indexed_labels;
  if (conf.base != preset::current || label.empty() ||
      std::find(indexed.begin(), indexed.end(), label) != indexed.end())
    return {};
  return fail(ec::invalid_argument, "scheduling.gang.defaultUniformityLabel is '" + label +
                                        "', which preset current finds on no node unless "
                                        "scheduling.indexedNodeLabels names it");
}

result<void> check_bucket(std::string_view key, double rate, double burst) {
  if (rate == 0)
    return fail(ec::invalid_argument, "scheduling." + std::string(key) + "Rate must be above 0");
  if (std::isfinite(rate) && std::isinf(burst))
    return fail(ec::invalid_argument, "scheduling." + std::string(key) + "Rate needs " +
                                          std::string(key) + "Burst: how many at once");
  return {};
}

result<void> check_limits(const config& conf) {
  if (auto ok = check_bucket("maximumScheduling", conf.rate, conf.burst); !ok) return ok;
  if (auto ok = check_bucket("maximumPerQueueScheduling", conf.queue_rate, conf.queue_burst); !ok)
    return ok;
  return check_bucket("fairsharePreemption", conf.preemption_rate, conf.preemption_burst);
}

}  // namespace

std::string_view to_string(preset name) noexcept {
  return preset_names()[static_cast<std::size_t>(name)];
}

result<preset> parse_preset(std::string_view name) {
  const auto names = preset_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return fail(ec::invalid_argument,
                "no preset '" + std::string(name) +
                    "'; there are argosy, current, unified, classic and lottery");
  return static_cast<preset>(found - names.begin());
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
  conf.max_lookback = 0;
  return conf;
}

double weight_of(const config& conf, std::string_view resource) {
  for (const auto& [name, weight] : conf.cost_multipliers)
    if (name == resource) return weight;
  if (conf.cost == cost_kind::weighted_sum)
    return resource == "cpu" || resource == "nvidia.com/gpu" ? 1.0 : 0.0;
  return resource == pod_resource ? 0.0 : 1.0;
}

void mark_victims(config& conf) {
  for (auto& entry : conf.classes) entry.urgency_preemptible = may_be_victim(conf.urgency, entry);
}

result<void> validate(const config& conf) {
  if (auto ok = check_keys(conf); !ok) return ok;
  if (auto ok = check_resources(conf); !ok) return ok;
  if (auto ok = check_classes(conf); !ok) return ok;
  if (auto ok = check_costs(conf); !ok) return ok;
  if (auto ok = check_node_order(conf); !ok) return ok;
  if (auto ok = check_urgency(conf); !ok) return ok;
  if (auto ok = check_default_label(conf); !ok) return ok;
  return check_limits(conf);
}

}  // namespace argosy::scheduling
