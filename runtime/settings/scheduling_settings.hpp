// SPDX-License-Identifier: Apache-2.0
// The `scheduling:` section: which scheduler decides, key by key. The keys are those of
// runtime/scheduling/keys.cpp; only lists of structs have a form of their own here, in which people
// write them. to_config() makes the round's configuration of it all.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/scheduling/config.hpp"
#include "runtime/settings/field_table.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

struct resource_type_settings {
  std::string name;
  /// The smallest difference between amounts that counts, as a quantity: "1m", "1", "100Mi".
  std::string resolution = "1";
};

struct away_type_settings {
  std::int32_t priority = 0;
  std::string node_type;
};

struct priority_class_settings {
  std::string name;
  std::int32_t priority = 0;
  bool preemptible = false;
  /// Both follow `preemptible` unless set.
  std::optional<bool> fair_share_preemptible;
  std::optional<bool> urgency_preemptible;
  std::chrono::milliseconds min_run_time{0};
  /// Fractions of the pool that one queue may use with this class.
  number_list queue_limit;
  std::vector<away_type_settings> away;
};

struct node_type_settings {
  std::string name;
  std::vector<taint_settings> taints;
};

struct floating_resource_settings {
  std::string name;
  /// The total as a quantity.
  std::string total = "0";
  /// Empty: every pool.
  std::vector<std::string> pools;
};

struct pool_settings {
  std::string name;
  /// The values of the keys in `said`; all others are as for all pools.
  scheduling::config own;
  std::vector<std::string_view> said;  ///< Paths of scheduling::all_keys().
  std::vector<toleration_settings> tolerations;
};

struct scheduling_settings {
  /// The keys that have one value, for all pools. Its lists of resources, classes and node types
  /// are empty: files have the forms below for them, of which to_config() makes the round's.
  scheduling::config keys;

  std::vector<resource_type_settings> resources;
  std::vector<resource_type_settings> indexed_resources;
  std::vector<floating_resource_settings> floating;
  std::vector<node_type_settings> node_types;
  std::vector<priority_class_settings> classes;
  std::vector<pool_settings> pools;

  /// Makes the settings of a preset.
  explicit scheduling_settings(scheduling::preset name = scheduling::preset::argosy);
};

void describe(field_table& table, resource_type_settings& item);
void describe(field_table& table, away_type_settings& item);
void describe(field_table& table, priority_class_settings& item);
void describe(field_table& table, node_type_settings& item);
void describe(field_table& table, floating_resource_settings& item);
void describe(field_table& table, pool_settings& item);

/// Adds the keys under `prefix`: "scheduling." in argosyd's file, "" in one of its own.
void describe_scheduling(field_table& table, scheduling_settings& item, const std::string& prefix);
inline void describe(field_table& table, scheduling_settings& item) {
  describe_scheduling(table, item, "");
}

/// Rules between keys: names that are used exist, none stands twice. Problems name their keys by
/// the whole path, by which placed() finds where these were set.
void check(const scheduling_settings& item, problem_list& problems);

/// Adds a problem for each of `names`, which stand at `key`, that is a resource neither of nodes
/// nor of pools. Those in `usual`, the default, may remain where there are fewer resources.
void check_resources(const scheduling_settings& item, const std::string& key,
                     const std::vector<std::string>& names, const std::vector<std::string>& usual,
                     problem_list& problems);

template <class T>
[[nodiscard]] std::vector<std::string> names_of(
    const std::vector<std::pair<std::string, T>>& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.first);
  return names;
}

}  // namespace argosy::settings
