// SPDX-License-Identifier: Apache-2.0
// validate(): each key by itself, and the rules between keys.
#include <algorithm>
#include <cmath>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/node_index.hpp"
#include "runtime/scheduling/keys.hpp"

namespace argosy::scheduling {

namespace {

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

/// Priorities below 0 belong to the rows for the room that evicted jobs and jobs of other pools
/// leave.
result<void> check_priorities(const priority_class& entry) {
  const std::string key = "scheduling.priorityClasses: ";
  if (entry.priority < 0)
    return fail(ec::invalid_argument, key + "the priority of '" + entry.name + "' is " +
                                          std::to_string(entry.priority) +
                                          "; it must be 0 or more");
  if (entry.min_run_time_ns < 0)
    return fail(ec::invalid_argument,
                key + "the minRunTime of '" + entry.name + "' must not be negative");
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

result<void> check_urgency(const config& conf) {
  auto marked = conf;
  mark_victims(marked);
  if (!std::equal(conf.classes.begin(), conf.classes.end(), marked.classes.begin(),
                  [](const priority_class& a, const priority_class& b) {
                    return a.urgency_preemptible == b.urgency_preemptible;
                  }))
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
  // Armada does not check this.
  if (conf.base == preset::current && conf.cost == cost_kind::dominant_resource) return {};
  const auto counts = [&](const auto& resource) { return weight_of(conf, resource.name) > 0; };
  if (std::any_of(conf.resources.begin(), conf.resources.end(), counts) ||
      std::any_of(conf.floating.begin(), conf.floating.end(), counts))
    return {};
  return fail(ec::invalid_argument,
              "scheduling.costMultipliers gives no resource a weight above 0, so that nothing "
              "would cost anything; give one to cpu, or leave out the key");
}

/// Under `current`, as in Armada, only indexed labels have values to look for; other presets find
/// those of any label.
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

/// The same for buckets of resources.
result<void> check_buckets(std::string_view key, const fraction_list& rates,
                           const fraction_list& bursts) {
  for (const auto& [name, rate] : rates) {
    const auto place = "scheduling." + std::string(key) + "Rate: '" + name + "'";
    if (!(rate > 0)) return fail(ec::invalid_argument, place + " must be above 0");
    const auto same = [&, &resource = name](const auto& entry) { return entry.first == resource; };
    if (std::none_of(bursts.begin(), bursts.end(), same))
      return fail(ec::invalid_argument,
                  place + " needs an entry in " + std::string(key) + "Burst: how much at once");
  }
  for (const auto& [name, burst] : bursts)
    if (!(burst > 0))
      return fail(ec::invalid_argument, "scheduling." + std::string(key) + "Burst: '" + name +
                                            "' must be above 0, or no job that requests it starts");
  return {};
}

result<void> check_limits(const config& conf) {
  if (auto ok = check_buckets("maximumResourceScheduling", conf.resource_rate, conf.resource_burst);
      !ok)
    return ok;
  if (auto ok = check_buckets("maximumPerQueueResourceScheduling", conf.queue_resource_rate,
                              conf.queue_resource_burst);
      !ok)
    return ok;
  if (auto ok = check_bucket("maximumScheduling", conf.rate, conf.burst); !ok) return ok;
  if (auto ok = check_bucket("maximumPerQueueScheduling", conf.queue_rate, conf.queue_burst); !ok)
    return ok;
  return check_bucket("fairsharePreemption", conf.preemption_rate, conf.preemption_burst);
}

}  // namespace

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
