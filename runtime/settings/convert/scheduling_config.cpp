// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/convert/scheduling_config.hpp"

#include <algorithm>
#include <limits>

#include "runtime/model/quantity.hpp"

namespace argosy::settings {

namespace {

template <class Enum, class From>
Enum same_place(From value) {
  return static_cast<Enum>(value);
}

static_assert(static_cast<int>(preset::lottery) == static_cast<int>(scheduling::preset::lottery));
static_assert(static_cast<int>(cost_kind::per_cpu_factor) ==
              static_cast<int>(scheduling::cost_kind::per_cpu_factor));
static_assert(static_cast<int>(queue_selection::lottery) ==
              static_cast<int>(scheduling::queue_selection::lottery));

std::string effect_name(taint_effect effect) {
  return std::string{enum_names(effect)[static_cast<std::size_t>(effect)]};
}

scheduling::taint to_taint(const taint_settings& from) {
  return {from.key, from.value, effect_name(from.effect)};
}

double burst_of(std::uint32_t burst) {
  return burst == 0 ? std::numeric_limits<double>::infinity() : burst;
}

result<std::int64_t> amount_of(const std::string& key, const std::string& resource,
                               const std::string& text) {
  auto amount = model::parse_quantity(text, model::unit_of(resource));
  if (!amount)
    return fail(ec::invalid_argument, key + " of " + resource + ": " + amount.error().detail);
  return amount;
}

result<void> add_resources(const scheduling_settings& from, scheduling::config& to) {
  to.resources.clear();
  for (const auto& resource : from.resources)
    to.resources.push_back(
        {resource.name, model::unit_of(resource.name) == model::resource_unit::milli ? 1 : 1000});
  to.indexed_resources.clear();
  for (const auto& resource : from.indexed_resources) {
    auto step = amount_of("scheduling.indexedResources", resource.name, resource.resolution);
    if (!step) return fail(step.error());
    to.indexed_resources.push_back({resource.name, std::max<std::int64_t>(1, *step)});
  }
  to.floating.clear();
  for (const auto& resource : from.floating) {
    auto total = amount_of("scheduling.floatingResources", resource.name, resource.total);
    if (!total) return fail(total.error());
    to.floating.push_back({resource.name, *total, resource.pools});
  }
  to.indexed_labels = from.indexed_labels;
  to.indexed_taints = from.indexed_taints;
  return {};
}

void add_classes(const scheduling_settings& from, scheduling::config& to) {
  to.classes.clear();
  for (const auto& one : from.classes) {
    auto& target = to.classes.emplace_back();
    target.name = one.name;
    target.priority = one.priority;
    target.fair_share_preemptible = one.fair_share_preemptible.value_or(one.preemptible);
    target.urgency_preemptible = one.urgency_preemptible.value_or(one.preemptible);
    target.queue_limit = one.queue_limit;
    for (const auto& away : one.away) target.away.push_back({away.priority, away.node_type});
  }
  to.default_class = from.default_class;
  to.node_types.clear();
  for (const auto& type : from.node_types) {
    auto& target = to.node_types.emplace_back();
    target.name = type.name;
    for (const auto& taint : type.taints) target.taints.push_back(to_taint(taint));
  }
}

void add_fairness(const scheduling_settings& from, scheduling::config& to) {
  to.cost = same_place<scheduling::cost_kind>(from.cost);
  to.cost_multipliers = from.cost_multipliers;
  to.selection = same_place<scheduling::queue_selection>(from.selection);
  to.slices = from.share_of_slices == slice_share::direct ? scheduling::slice_share::direct
                                                          : scheduling::slice_share::inverse;
  to.usage_priority = from.usage_priority;
  to.class_before_cost =
      !from.queue_order.empty() && from.queue_order.front() == queue_order_key::class_priority;
  to.class_in_job_order =
      !from.job_order.empty() && from.job_order.front() == job_order_key::class_priority;
  to.prefer_large_jobs = from.prefer_large_jobs;
  to.evicted_first = from.evicted_first;
  to.evict_for_balance = from.evict_for_balance;
  to.protected_fraction = from.protected_fraction;
  to.protect_uncapped = from.protect_uncapped;
  to.eviction_probability = from.eviction_probability;
}

void add_choices(const scheduling_settings& from, scheduling::config& to) {
  const bool sole_user = std::find(from.node_order.begin(), from.node_order.end(),
                                   node_order_key::sole_user_node) != from.node_order.end();
  to.nodes = sole_user ? scheduling::node_preference::sole_user_first
                       : scheduling::node_preference::best_fit;
  if (from.urgency == urgency_victims::none) to.urgency = scheduling::urgency_rule::never;
  to.default_uniformity_label = from.default_uniformity_label;
  to.gang_in_one_cluster = from.placement == gang_placement::one_cluster;
  to.exact_index = from.index == node_index::exact;
  to.isolated_trials = from.trials == gang_trials::isolated;
  to.needed_victims_only = from.victims == victim_choice::needed;
  to.protect_whole_gang = from.protection == gang_protection::whole_gang;
  to.return_room_only = from.returning == return_checks::room_only;
  to.soft_taints_prefer = from.taints == soft_taints::prefer;
  to.hard_preemption_budget = from.budget == preemption_budget::hard;
}

void add_limits(const scheduling_settings& from, scheduling::config& to) {
  to.max_lookback = from.queue_lookback_max;
  to.burst = burst_of(from.scheduling_burst);
  to.queue_burst = burst_of(from.queue_scheduling_burst);
  to.preemption_burst = burst_of(from.preemption_burst);
  to.max_new_decisions = from.new_decisions_max;
  to.max_new_decisions_queue = from.queue_new_decisions_max;
  to.max_fraction_to_schedule = from.round_fraction_max;
}

}  // namespace

result<scheduling::config> to_config(const scheduling_settings& from) {
  auto to = scheduling::default_config(same_place<scheduling::preset>(from.base));
  if (auto added = add_resources(from, to); !added) return fail(added.error());
  add_classes(from, to);
  add_fairness(from, to);
  add_choices(from, to);
  add_limits(from, to);
  if (auto valid = scheduling::validate(to); !valid) return fail(valid.error());
  return to;
}

}  // namespace argosy::settings
