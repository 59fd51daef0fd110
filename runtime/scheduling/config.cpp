// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/config.hpp"

#include <algorithm>

#include "runtime/scheduling/keys.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

/// Sets the flags so that Armada's behaviour stays as it is where the other presets mend it.
void keep_surprises(config& conf) {
  conf.exact_index = false;
  conf.isolated_trials = false;
  conf.needed_victims_only = false;
  conf.protect_whole_gang = false;
  conf.return_room_only = false;
  conf.soft_taints_prefer = false;
  conf.hard_preemption_budget = false;
  conf.queue_totals = false;
  conf.minimum_cardinality = false;
  conf.feasible_heads = false;
  conf.rank_at_share = false;
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
      // Gangs whose members stand in one order with all others would oust each other in turns.
      conf.feasible_heads = false;
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

double steps_of_unit(const config& conf, std::string_view resource) {
  for (const auto& type : conf.resources)
    if (type.name == resource) return 1000.0 / static_cast<double>(type.milli_per_step);
  return 1.0;
}

void mark_victims(config& conf) {
  for (auto& entry : conf.classes) entry.urgency_preemptible = may_be_victim(conf.urgency, entry);
}

}  // namespace argosy::scheduling
