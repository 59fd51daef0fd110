// SPDX-License-Identifier: Apache-2.0
// The `scheduling:` section: which scheduler decides, key by key. A preset gives the values of all
// keys marked "by preset"; each can be set on its own. Whoever runs rounds converts this into the
// round's configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/settings/field_table.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

enum class preset : std::uint8_t { argosy, current, unified, classic, lottery };
enum class cost_kind : std::uint8_t { dominant_resource, weighted_sum, per_cpu_factor };
enum class queue_selection : std::uint8_t { progressive_filling, slices_then_lottery, lottery };
enum class slice_share : std::uint8_t { inverse, direct };
enum class usage_form : std::uint8_t { condor, literal };
enum class node_order_key : std::uint8_t {
  no_preemption,
  lowest_victim_class,
  largest_victim_share,
  least_victims,
  sole_user_node,
  empty_node,
  shared_node,
  best_fit,
};
enum class queue_order_key : std::uint8_t { class_priority, cost, name };
enum class job_order_key : std::uint8_t { class_priority, priority, time };
enum class urgency_victims : std::uint8_t {
  urgency_preemptible,
  preemptible_strictly_below,
  preemptible_lower,
  any_lower,
  none,
};
enum class gang_placement : std::uint8_t { anywhere, one_cluster };
enum class node_index : std::uint8_t { exact, rounded };
enum class gang_trials : std::uint8_t { isolated, leaking };
enum class victim_choice : std::uint8_t { needed, all };
enum class gang_protection : std::uint8_t { whole_gang, member };
enum class return_checks : std::uint8_t { room_only, all };
enum class soft_taints : std::uint8_t { prefer, hard };
enum class preemption_budget : std::uint8_t { hard, soft };

[[nodiscard]] std::span<const std::string_view> enum_names(preset);
[[nodiscard]] std::span<const std::string_view> enum_names(cost_kind);
[[nodiscard]] std::span<const std::string_view> enum_names(queue_selection);
[[nodiscard]] std::span<const std::string_view> enum_names(slice_share);
[[nodiscard]] std::span<const std::string_view> enum_names(usage_form);
[[nodiscard]] std::span<const std::string_view> enum_names(node_order_key);
[[nodiscard]] std::span<const std::string_view> enum_names(queue_order_key);
[[nodiscard]] std::span<const std::string_view> enum_names(job_order_key);
[[nodiscard]] std::span<const std::string_view> enum_names(urgency_victims);
[[nodiscard]] std::span<const std::string_view> enum_names(gang_placement);
[[nodiscard]] std::span<const std::string_view> enum_names(node_index);
[[nodiscard]] std::span<const std::string_view> enum_names(gang_trials);
[[nodiscard]] std::span<const std::string_view> enum_names(victim_choice);
[[nodiscard]] std::span<const std::string_view> enum_names(gang_protection);
[[nodiscard]] std::span<const std::string_view> enum_names(return_checks);
[[nodiscard]] std::span<const std::string_view> enum_names(soft_taints);
[[nodiscard]] std::span<const std::string_view> enum_names(preemption_budget);

struct resource_type_settings {
  std::string name;
  /// The smallest step that is told apart, as a quantity: "1m", "1", "100Mi".
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
  /// A quantity.
  std::string total = "0";
  /// Empty: every pool.
  std::vector<std::string> pools;
};

struct pool_settings {
  std::string name;
  std::vector<std::string> away_pools;
  std::optional<double> protected_fraction;
  /// Unset: as for all pools.
  std::optional<number_list> round_fraction_max;
  std::vector<std::string> unscheduled_resources;
  std::vector<toleration_settings> tolerations;
  bool disable_fair_share_preemption = false;
  bool disable_urgency_preemption = false;
  bool disable_away = false;
  bool disable_gang_away = false;
};

/// 0 in a limit or rate: none.
struct scheduling_settings {
  preset base = preset::argosy;

  // Fairness.
  cost_kind cost = cost_kind::dominant_resource;
  number_list cost_multipliers;
  queue_selection selection = queue_selection::progressive_filling;
  slice_share share_of_slices = slice_share::inverse;
  std::uint32_t queue_lease_batch_size = 200;
  bool usage_priority = false;
  usage_form form_of_usage = usage_form::condor;
  std::chrono::milliseconds priority_halftime{20 * 60 * 1000};
  std::vector<queue_order_key> queue_order{queue_order_key::class_priority, queue_order_key::cost,
                                           queue_order_key::name};
  std::vector<job_order_key> job_order{job_order_key::class_priority, job_order_key::priority,
                                       job_order_key::time};
  bool evicted_first = true;
  bool prefer_large_jobs = false;

  // Preemption.
  bool evict_for_balance = true;
  bool evict_contested_only = false;
  double protected_fraction = 1.0;
  bool protect_uncapped = false;
  double eviction_probability = 1.0;
  urgency_victims urgency = urgency_victims::urgency_preemptible;
  preemption_budget budget = preemption_budget::hard;
  victim_choice victims = victim_choice::needed;
  return_checks returning = return_checks::room_only;
  gang_protection protection = gang_protection::whole_gang;

  // Nodes and gangs.
  std::vector<node_order_key> node_order{node_order_key::no_preemption,
                                         node_order_key::lowest_victim_class,
                                         node_order_key::largest_victim_share,
                                         node_order_key::least_victims, node_order_key::best_fit};
  node_index index = node_index::exact;
  soft_taints taints = soft_taints::prefer;
  bool pod_limits = false;
  bool cross_pool_jobs_first = true;
  gang_placement placement = gang_placement::anywhere;
  bool minimum_cardinality = true;
  std::string default_uniformity_label;
  gang_trials trials = gang_trials::isolated;

  // Limits of a round.
  std::uint32_t queue_lookback_max = 100'000;
  double scheduling_rate = 0;
  std::uint32_t scheduling_burst = 0;
  double queue_scheduling_rate = 0;
  std::uint32_t queue_scheduling_burst = 0;
  double preemption_rate = 0;
  std::uint32_t preemption_burst = 0;
  std::uint32_t new_decisions_max = 0;
  std::uint32_t queue_new_decisions_max = 0;
  number_list round_fraction_max;
  std::chrono::milliseconds short_job_cutoff{0};

  // What there is.
  std::vector<resource_type_settings> resources{
      {"cpu", "1m"}, {"memory", "1"}, {"ephemeral-storage", "1"}, {"nvidia.com/gpu", "1"}};
  std::vector<resource_type_settings> indexed_resources{
      {"nvidia.com/gpu", "1"}, {"cpu", "100m"}, {"memory", "100Mi"}, {"ephemeral-storage", "1Gi"}};
  std::vector<std::string> indexed_labels;
  std::vector<std::string> indexed_taints;
  std::vector<floating_resource_settings> floating;
  std::vector<node_type_settings> node_types;
  std::vector<priority_class_settings> classes;
  std::string default_class = "armada-default";
  std::vector<pool_settings> pools;

  scheduling_settings();
};

/// All keys as the preset has them.
[[nodiscard]] scheduling_settings preset_settings(preset name);

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
