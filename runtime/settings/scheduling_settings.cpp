// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/scheduling_settings.hpp"

#include "runtime/base/check.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/settings/scheduling_keys.hpp"

namespace argosy::settings {

namespace {

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
      table.value(name, item.tolerations, "");
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

}  // namespace argosy::settings
