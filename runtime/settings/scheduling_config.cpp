// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/scheduling_config.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/scheduling/keys.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::settings {

namespace {

failure cannot(std::string_view key, std::string_view why) {
  return fail(ec::invalid_argument,
              std::string{"scheduling."}.append(key).append(": ").append(why));
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
  const auto pods = scheduling::pod_resource;
  if (item.keys.pod_limits && std::none_of(conf.resources.begin(), conf.resources.end(),
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
    made.min_run_time_ns = std::chrono::nanoseconds{entry.min_run_time}.count();
    made.queue_limit = entry.queue_limit;
    for (const auto& away : entry.away) made.away.push_back({away.priority, away.node_type});
    conf.classes.push_back(std::move(made));
  }
  conf.node_types.clear();
  for (const auto& type : item.node_types) {
    scheduling::node_type made{type.name, {}};
    for (const auto& taint : type.taints)
      made.taints.push_back({taint.key, taint.value, print_value(taint.effect)});
    conf.node_types.push_back(std::move(made));
  }
}

void convert_pool(const pool_settings& pool, scheduling::config& conf) {
  for (const auto path : pool.said) {
    const auto* which = scheduling::find_key(path);
    ARGOSY_CHECK(which != nullptr && which->put(conf, which->get(pool.own)));
  }
  for (const auto& item : pool.tolerations)
    conf.default_tolerations.push_back(
        {item.key, item.value, item.op == toleration_operator::exists, item.effect});
}

}  // namespace

result<scheduling::config> to_config(const scheduling_settings& item, std::string_view pool) {
  auto conf = item.keys;
  if (auto ok = convert_resources(item, conf); !ok) return fail(std::move(ok.error()));
  convert_classes(item, conf);
  scheduling::mark_victims(conf);
  for (const auto& other : item.pools) {
    if (other.name == pool)
      convert_pool(other, conf);
    else if (const auto& away = other.own.away_pools;
             std::find(away.begin(), away.end(), pool) != away.end())
      conf.guest_pools.push_back(other.name);
  }
  if (auto ok = scheduling::validate(conf); !ok) return fail(std::move(ok.error()));
  return conf;
}

}  // namespace argosy::settings
