// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/scheduling_config.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "runtime/model/quantity.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::settings {

namespace {

failure cannot(std::string_view key, std::string_view why) {
  return fail(ec::invalid_argument,
              std::string{"scheduling."}.append(key).append(": ").append(why));
}

double or_infinite(double rate) {
  return rate == 0 ? std::numeric_limits<double>::infinity() : rate;
}

std::int64_t to_ns(std::chrono::milliseconds time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// The steps of a resource in thousandths: 1 for "1m".
result<std::int64_t> step_of(const resource_type_settings& item, std::string_view key) {
  auto milli = model::parse_quantity(item.resolution, model::resource_unit::milli);
  if (milli && *milli > 0) return *milli;
  return cannot(key, "the resolution of '" + item.name + "' must be above 0");
}

result<void> convert_resources(const scheduling_settings& item, scheduling::config& conf) {
  conf.resources.clear();
  for (const auto& type : item.resources) {
    const auto step = step_of(type, "resources");
    if (!step) return fail(step.error());
    conf.resources.push_back({type.name, *step});
  }
  conf.pod_limits = item.pod_limits;
  const auto pods = scheduling::pod_resource;
  if (item.pod_limits && std::none_of(conf.resources.begin(), conf.resources.end(),
                                      [&](const auto& type) { return type.name == pods; }))
    conf.resources.push_back({std::string{pods}, 1000});
  conf.indexed_resources.clear();
  for (const auto& type : item.indexed_resources) {
    const auto wanted = step_of(type, "indexedResources");
    if (!wanted) return fail(wanted.error());
    const auto base =
        std::find_if(conf.resources.begin(), conf.resources.end(),
                     [&](const auto& resource) { return resource.name == type.name; });
    if (base == conf.resources.end() || *wanted % base->milli_per_step != 0)
      return cannot("indexedResources", "the resolution of '" + type.name +
                                            "' must be a multiple of that in resources");
    conf.indexed_resources.push_back({type.name, *wanted / base->milli_per_step});
  }
  conf.floating.clear();
  for (const auto& floating : item.floating) {
    const auto total = model::parse_quantity(floating.total, model::unit_of(floating.name));
    if (!total) return cannot("floatingResources", total.error().detail);
    conf.floating.push_back({floating.name, *total, floating.pools});
  }
  return {};
}

void convert_classes(const scheduling_settings& item, scheduling::config& conf) {
  conf.classes.clear();
  for (const auto& entry : item.classes) {
    scheduling::priority_class made;
    made.name = entry.name;
    made.priority = entry.priority;
    made.fair_share_preemptible = entry.fair_share_preemptible.value_or(entry.preemptible);
    made.urgency_preemptible = entry.urgency_preemptible.value_or(entry.preemptible);
    made.queue_limit = entry.queue_limit;
    for (const auto& away : entry.away) made.away.push_back({away.priority, away.node_type});
    conf.classes.push_back(std::move(made));
  }
  conf.default_class = item.default_class;
  conf.node_types.clear();
  for (const auto& type : item.node_types) {
    scheduling::node_type made{type.name, {}};
    for (const auto& taint : type.taints)
      made.taints.push_back({taint.key, taint.value, print_value(taint.effect)});
    conf.node_types.push_back(std::move(made));
  }
}

/// `cost` must come before `name`, and `class` before both if at all; others have no meaning.
result<void> convert_orders(const scheduling_settings& item, scheduling::config& conf) {
  using queue_key = queue_order_key;
  using job_key = job_order_key;
  const std::vector<queue_key> by_cost{queue_key::cost, queue_key::name};
  const std::vector<queue_key> by_class{queue_key::class_priority, queue_key::cost,
                                        queue_key::name};
  if (item.queue_order != by_cost && item.queue_order != by_class)
    return cannot("queueOrder", "must be [class, cost, name] or [cost, name]");
  conf.class_before_cost = item.queue_order == by_class;
  const std::vector<job_key> plain{job_key::priority, job_key::time};
  const std::vector<job_key> classed{job_key::class_priority, job_key::priority, job_key::time};
  if (item.job_order != plain && item.job_order != classed)
    return cannot("jobOrder", "must be [class, priority, time] or [priority, time]");
  conf.class_in_job_order = item.job_order == classed;
  return {};
}

// The choices stand in the same order here and there.
static_assert(static_cast<int>(urgency_victims::none) ==
              static_cast<int>(scheduling::urgency_rule::never));
static_assert(static_cast<int>(urgency_victims::any_lower) ==
              static_cast<int>(scheduling::urgency_rule::any_lower));
static_assert(static_cast<int>(node_order_key::sole_user_node) ==
              static_cast<int>(scheduling::node_key::sole_user_node));
static_assert(static_cast<int>(node_order_key::best_fit) ==
              static_cast<int>(scheduling::node_key::best_fit));

void convert_fairness(const scheduling_settings& item, scheduling::config& conf) {
  conf.cost = static_cast<scheduling::cost_kind>(item.cost);
  conf.cost_multipliers = item.cost_multipliers;
  conf.selection = static_cast<scheduling::queue_selection>(item.selection);
  conf.slices = static_cast<scheduling::slice_share>(item.share_of_slices);
  conf.usage_priority = item.usage_priority;
  conf.prefer_large_jobs = item.prefer_large_jobs;
  conf.evicted_first = item.evicted_first;
  conf.protected_fraction = item.protected_fraction;
  conf.protect_uncapped = item.protect_uncapped;
  conf.eviction_probability = item.eviction_probability;
  conf.evict_for_balance = item.evict_for_balance;
  conf.evict_contested_only = item.evict_contested_only;
  conf.slice_batch = item.queue_lease_batch_size;
  conf.usage_decay = static_cast<scheduling::usage_form>(item.form_of_usage);
  conf.usage_half_time_ns = to_ns(item.priority_halftime);
}

void convert_limits(const scheduling_settings& item, scheduling::config& conf) {
  conf.rate = or_infinite(item.scheduling_rate);
  conf.queue_rate = or_infinite(item.queue_scheduling_rate);
  conf.preemption_rate = or_infinite(item.preemption_rate);
  conf.burst = or_infinite(item.scheduling_burst);
  conf.queue_burst = or_infinite(item.queue_scheduling_burst);
  conf.preemption_burst = or_infinite(item.preemption_burst);
  conf.max_lookback = item.queue_lookback_max;
  conf.max_new_decisions = item.new_decisions_max;
  conf.max_new_decisions_queue = item.queue_new_decisions_max;
  conf.max_fraction_to_schedule = item.round_fraction_max;
  conf.short_job_cutoff_ns = to_ns(item.short_job_cutoff);
}

void convert_nodes(const scheduling_settings& item, scheduling::config& conf) {
  conf.urgency = static_cast<scheduling::urgency_rule>(item.urgency);
  conf.node_order.clear();
  for (const auto key : item.node_order)
    conf.node_order.push_back(static_cast<scheduling::node_key>(key));
  conf.minimum_cardinality = item.minimum_cardinality;
  conf.indexed_labels = item.indexed_labels;
  conf.indexed_taints = item.indexed_taints;
  conf.default_uniformity_label = item.default_uniformity_label;
  conf.gang_in_one_cluster = item.placement == gang_placement::one_cluster;
  conf.exact_index = item.index == node_index::exact;
  conf.isolated_trials = item.trials == gang_trials::isolated;
  conf.needed_victims_only = item.victims == victim_choice::needed;
  conf.protect_whole_gang = item.protection == gang_protection::whole_gang;
  conf.return_room_only = item.returning == return_checks::room_only;
  conf.soft_taints_prefer = item.taints == soft_taints::prefer;
  conf.hard_preemption_budget = item.budget == preemption_budget::hard;
}

void convert_pool(const pool_settings& pool, scheduling::config& conf) {
  conf.protected_fraction = pool.protected_fraction.value_or(conf.protected_fraction);
  if (pool.round_fraction_max) conf.max_fraction_to_schedule = *pool.round_fraction_max;
  conf.away_pools = pool.away_pools;
  conf.unscheduled_resources = pool.unscheduled_resources;
  for (const auto& item : pool.tolerations)
    conf.default_tolerations.push_back(
        {item.key, item.value, item.op == toleration_operator::exists, item.effect});
  conf.disable_fair_share_preemption |= pool.disable_fair_share_preemption;
  conf.disable_urgency_preemption |= pool.disable_urgency_preemption;
  conf.disable_away |= pool.disable_away;
  conf.disable_gang_away |= pool.disable_gang_away;
}

}  // namespace

result<scheduling::config> to_config(const scheduling_settings& item, std::string_view pool) {
  auto conf = scheduling::default_config(static_cast<scheduling::preset>(item.base));
  if (auto ok = convert_resources(item, conf); !ok) return fail(std::move(ok.error()));
  if (auto ok = convert_orders(item, conf); !ok) return fail(std::move(ok.error()));
  convert_classes(item, conf);
  convert_fairness(item, conf);
  convert_limits(item, conf);
  convert_nodes(item, conf);
  scheduling::mark_victims(conf);
  conf.cross_pool_jobs_first = item.cross_pool_jobs_first;
  for (const auto& own : item.pools) {
    if (own.name == pool)
      convert_pool(own, conf);
    else if (std::find(own.away_pools.begin(), own.away_pools.end(), pool) != own.away_pools.end())
      conf.guest_pools.push_back(own.name);
  }
  if (auto ok = scheduling::validate(conf); !ok) return fail(std::move(ok.error()));
  return conf;
}

}  // namespace argosy::settings
