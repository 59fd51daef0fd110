// SPDX-License-Identifier: Apache-2.0
// What a round is configured with: the presets and every key that they set. Plain data; validated
// once, then shared. Amounts are integers in the resource's own step. A new key is a member here,
// whose initial value is its default, and a row in keys.cpp; nothing else lists keys.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/terms.hpp"
#include "runtime/scheduling/usage.hpp"

namespace argosy::scheduling {

/// Amounts by resource name, each in the resource's step.
using resource_list = std::vector<std::pair<std::string, std::int64_t>>;
/// Fractions of the pool by resource name; a resource that is not named is unlimited.
using fraction_list = std::vector<std::pair<std::string, double>>;

enum class preset : std::uint8_t { argosy, current, unified, classic, lottery };
enum class cost_kind : std::uint8_t { dominant_resource, weighted_sum, per_cpu_factor };
enum class queue_selection : std::uint8_t { progressive_filling, slices_then_lottery, lottery };
enum class slice_share : std::uint8_t { inverse, direct };
/// Victims at whose cost a job may be placed for urgency.
enum class urgency_rule : std::uint8_t {
  urgency_preemptible,         ///< Classes with that flag, bound at a lower priority.
  preemptible_strictly_below,  ///< Preemptible classes; overdrawn rows name them afterwards.
  preemptible_lower,           ///< Preemptible classes, bound at a lower priority.
  any_lower,                   ///< All classes, bound at a lower priority.
  never,
};
/// By what nodes for a job are compared, each where those before it are equal; then by node id.
enum class node_key : std::uint8_t {
  no_preemption,         ///< A node where nobody loses a place.
  lowest_victim_class,   ///< The highest priority among the victims is lower.
  largest_victim_share,  ///< The richest of the victims' queues is richer.
  least_victims,
  sole_user_node,  ///< Only jobs of this queue run there.
  empty_node,
  shared_node,
  best_fit,  ///< Less is free, by the indexed resources in their order.
};

/// A resource that nodes have. `milli_per_step`: cpu counts in 1m (1), memory in bytes (1000).
struct resource_type {
  std::string name;
  std::int64_t milli_per_step = 1000;
};

/// A resource that the pool has as a whole, such as licences. `total` in its own step.
struct floating_resource {
  std::string name;
  std::int64_t total = 0;
  std::vector<std::string> pools;  ///< Empty: every pool.
};

/// A resource by which nodes are ordered for best fit; amounts are rounded to `resolution` steps.
struct indexed_resource {
  std::string name;
  std::int64_t resolution = 1;
};

/// A kind of node that jobs of a class may use away from home, at a reduced priority.
struct away_type {
  std::int32_t priority = 0;  ///< 0 or more.
  std::string node_type;      ///< A name in config::node_types.
};

struct priority_class {
  std::string name;
  std::int32_t priority = 0;            ///< 0 or more.
  bool fair_share_preemptible = false;  ///< May lose its place for balance between queues.
  bool urgency_preemptible = false;  ///< May lose its place to a higher class; see mark_victims().
  std::vector<away_type> away = {};
  fraction_list queue_limit = {};  ///< Of the pool, for each queue.
};

struct node_type {
  std::string name;
  std::vector<taint> taints;  ///< A value "*" tolerates any value.
};

/// Every key; the defaults are those of preset `argosy`. `default_config()` gives them by preset.
struct config {
  preset base = preset::argosy;

  // Resources and classes. A snapshot is built for these; a round refuses another set.
  std::vector<resource_type> resources;
  std::vector<floating_resource> floating;
  std::vector<priority_class> classes;
  std::string default_class;
  std::vector<node_type> node_types;
  std::vector<indexed_resource> indexed_resources;
  std::vector<std::string> indexed_labels;
  std::vector<std::string> indexed_taints;

  // Fairness.
  cost_kind cost = cost_kind::dominant_resource;
  /// By resource, see weight_of().
  std::vector<std::pair<std::string, double>> cost_multipliers;
  queue_selection selection = queue_selection::progressive_filling;
  slice_share slices = slice_share::inverse;
  std::uint32_t slice_batch = 200;  ///< Gangs of a queue that may miss its slice before it is done.
  bool usage_priority = false;      ///< Weigh queues by their decaying usage as well.
  usage_form usage_decay = usage_form::condor;
  std::int64_t usage_half_time_ns = std::int64_t{1200} * 1'000'000'000;
  bool class_before_cost = true;
  bool prefer_large_jobs = false;
  bool evicted_first = true;
  bool class_in_job_order = true;  ///< In a queue: class, job priority, time; else without class.

  // Eviction.
  double protected_fraction = 1.0;  ///< Queues strictly above this part of their share give up.
  bool protect_uncapped = false;
  double eviction_probability = 1.0;  ///< For each node, drawn from the round's seed.
  bool evict_for_balance = true;
  /// Only jobs of a class priority at which another queue, not cordoned, has jobs queued.
  bool evict_contested_only = false;

  // Limits of one round. Infinite: no limit. Rates are tokens a second, see carry_over.
  double rate = std::numeric_limits<double>::infinity();
  double queue_rate = std::numeric_limits<double>::infinity();
  double preemption_rate = std::numeric_limits<double>::infinity();
  double burst = std::numeric_limits<double>::infinity();
  double queue_burst = std::numeric_limits<double>::infinity();
  double preemption_burst = std::numeric_limits<double>::infinity();
  std::uint64_t max_lookback = 100'000;       ///< New jobs looked at in a queue; 0: all.
  std::uint64_t max_new_decisions = 0;        ///< Gangs with new jobs tried in a round; 0: all.
  std::uint64_t max_new_decisions_queue = 0;  ///< The same for one queue.
  fraction_list max_fraction_to_schedule;
  /// A job that ends sooner after its start still counts in the order of queues until then; 0: no.
  std::int64_t short_job_cutoff_ns = 0;

  // Node choice.
  std::vector<node_key> node_order = {node_key::no_preemption, node_key::lowest_victim_class,
                                      node_key::largest_victim_share, node_key::least_victims,
                                      node_key::best_fit};
  urgency_rule urgency = urgency_rule::urgency_preemptible;
  std::vector<std::string> unscheduled_resources;  ///< A job that asks for one is not placed.
  std::vector<toleration> default_tolerations;
  bool disable_fair_share_preemption = false;
  bool disable_urgency_preemption = false;
  bool disable_away = false;
  bool disable_gang_away = false;
  /// Resource "pods" is tracked: each job takes one, nodes that do not report it have no limit.
  bool pod_limits = false;
  std::vector<std::string> away_pools;   ///< Whose nodes this pool's jobs may use as well.
  std::vector<std::string> guest_pools;  ///< Whose jobs may use this pool's nodes.
  bool cross_pool_jobs_first = true;     ///< Guests leave before anybody else.
  std::string default_uniformity_label;  ///< Given to gangs that name none.
  bool gang_in_one_cluster = false;
  bool minimum_cardinality = true;  ///< A gang may start with the minimum that it declares.

  // What preset `current` keeps as it is in Armada, and all others mend.
  bool exact_index = true;
  bool isolated_trials = true;
  bool needed_victims_only = true;
  bool protect_whole_gang = true;
  bool return_room_only = true;
  bool soft_taints_prefer = true;
  bool hard_preemption_budget = true;

  /// Urgency names its victims when it takes a node, or overdraws rows and finds them afterwards.
  [[nodiscard]] bool explicit_victims() const {
    return urgency != urgency_rule::preemptible_strictly_below;
  }
};

[[nodiscard]] std::string_view to_string(preset name) noexcept;
/// ec::invalid_argument names the presets there are.
[[nodiscard]] result<preset> parse_preset(std::string_view name);

/// The keys of a preset over the product's default resources and priority classes.
[[nodiscard]] config default_config(preset name = preset::argosy);
/// Configuration BENCH, under which decisions were recorded: preset `current` unless told
/// otherwise.
[[nodiscard]] config bench_config(preset name = preset::current);

/// What a resource counts in costs: as config::cost_multipliers says, or where that does not name
/// it once, for weighted_sum only cpu and GPUs. For weighted_sum it is the weight of one unit: of a
/// core, a GPU, a byte. Pods count nothing unless they are named.
[[nodiscard]] double weight_of(const config& conf, std::string_view resource);

/// Makes the classes' flags say what `urgency` means. Call it after either was set; presets have
/// called it.
void mark_victims(config& conf);

/// ec::invalid_argument names the key and the fix.
[[nodiscard]] result<void> validate(const config& conf);

}  // namespace argosy::scheduling
