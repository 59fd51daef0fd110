// SPDX-License-Identifier: Apache-2.0
// This file declares what a round is configured with: the presets and every key that they set. The
// configuration is plain data, validated once and then shared. Amounts are integers in the
// resource's own step. To add a key, add a member here, whose initial value is the default, and a
// row in keys.cpp; nothing else lists keys.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/between/usage.hpp"
#include "runtime/scheduling/node_keys.hpp"
#include "runtime/scheduling/terms.hpp"

namespace argosy::scheduling {

/// Amounts by resource name, each in the resource's step.
using resource_list = std::vector<std::pair<std::string, std::int64_t>>;
/// Fractions of the pool by resource name; a resource that is not named is unlimited.
using fraction_list = std::vector<std::pair<std::string, double>>;

enum class preset : std::uint8_t { argosy, current, unified, classic, lottery };
enum class cost_kind : std::uint8_t { dominant_resource, weighted_sum, per_cpu_factor };
enum class queue_selection : std::uint8_t { progressive_filling, slices_then_lottery, lottery };
enum class slice_share : std::uint8_t { inverse, direct };
/// Which running jobs may lose their place so that a more urgent job gets it.
enum class urgency_rule : std::uint8_t {
  /// Jobs of classes with the flag urgency_preemptible, bound at a lower priority.
  urgency_preemptible,
  /// Jobs of preemptible classes strictly below. A node is overdrawn first, and its victims are
  /// chosen afterwards.
  preemptible_strictly_below,
  preemptible_lower,  ///< Jobs of preemptible classes, bound at a lower priority.
  any_lower,          ///< Jobs of all classes, bound at a lower priority.
  never,
};
/// A resource that nodes have. `milli_per_step` is 1 for cpu, which counts in thousandths of a
/// core, and 1000 for memory, which counts in bytes.
struct resource_type {
  std::string name;
  std::int64_t milli_per_step = 1000;
};

/// A resource that the pool has as a whole, such as licences. `total` is in steps of the resource.
struct floating_resource {
  std::string name;
  std::int64_t total = 0;
  std::vector<std::string> pools;  ///< Empty: every pool.
};

/// A resource by which nodes are ordered for best fit. Amounts are rounded to `resolution` steps.
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
  std::int32_t priority = 0;  ///< 0 or more.
  /// Its jobs may lose their place for balance between queues.
  bool fair_share_preemptible = false;
  /// Its jobs may lose their place to a higher class; see mark_victims().
  bool urgency_preemptible = false;
  /// How long its runs last at least before they may lose their place for balance.
  std::int64_t min_run_time_ns = 0;
  std::vector<away_type> away = {};
  /// What the jobs of one queue may use together, as fractions of the pool.
  fraction_list queue_limit = {};
};

struct node_type {
  std::string name;
  std::vector<taint> taints;  ///< A value "*" tolerates any value.
};

/// Every key, with the defaults of preset `argosy`. default_config() gives the values of any
/// preset.
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
  /// The multiplier of each resource, see weight_of().
  std::vector<std::pair<std::string, double>> cost_multipliers;
  queue_selection selection = queue_selection::progressive_filling;
  slice_share slices = slice_share::inverse;
  /// How many gangs of a queue may miss its slice before its turns end.
  std::uint32_t slice_batch = 200;
  bool usage_priority = false;  ///< Whether decaying usage counts in whose turn it is.
  usage_form usage_decay = usage_form::condor;
  std::int64_t usage_half_time_ns = std::int64_t{1200} * 1'000'000'000;
  bool class_before_cost = true;
  bool prefer_large_jobs = false;
  /// Whether a gang that could not be placed at best is refused without a turn, see feasibility.
  bool feasible_heads = true;
  /// Whether a gang with which its queue crosses its share is ranked as if it ended there.
  bool rank_at_share = true;
  bool evicted_first = true;
  /// Whether jobs of a queue are ordered by class before job priority and time.
  bool class_in_job_order = true;

  // Eviction.
  /// Queues strictly above this part of their share give jobs up.
  double protected_fraction = 1.0;
  bool protect_uncapped = false;
  /// A gang is spared where its loss exceeds this many times what the starting job's queue is owed.
  double gang_loss_factor = 4;
  /// The probability that jobs of a node are evicted, drawn for each node from the round's seed.
  double eviction_probability = 1.0;
  bool evict_for_balance = true;
  /// Evict only jobs of a class priority at which another queue that is not cordoned has jobs
  /// queued.
  bool evict_contested_only = false;

  // Limits of one round; an infinite value means no limit. Rates are in tokens a second, see
  // carry_over.
  double rate = std::numeric_limits<double>::infinity();
  double queue_rate = std::numeric_limits<double>::infinity();
  double preemption_rate = std::numeric_limits<double>::infinity();
  double burst = std::numeric_limits<double>::infinity();
  double queue_burst = std::numeric_limits<double>::infinity();
  double preemption_burst = std::numeric_limits<double>::infinity();
  std::uint64_t max_lookback = 100'000;  ///< How many new jobs of a queue are looked at; 0: all.
  std::uint64_t max_new_decisions = 0;   ///< How many gangs with new jobs a round tries; 0: all.
  std::uint64_t max_new_decisions_queue = 0;  ///< The same for one queue.
  /// For how long a round draws lots; 0: as long as it takes. Whoever decides keeps the time, see
  /// round_params::draws_end.
  std::int64_t max_draw_time_ns = std::int64_t{5} * 1'000'000'000;
  fraction_list max_fraction_to_schedule;
  /// How much of each resource new jobs may take a second and at once, over all queues and in each
  /// of them, in its unit: cores, bytes, GPUs. A resource that no burst names has no limit.
  fraction_list resource_rate;
  fraction_list resource_burst;
  fraction_list queue_resource_rate;
  fraction_list queue_resource_burst;
  /// Whether what a queue may use of all priority classes together counts; Armada ignores it.
  bool queue_totals = true;
  /// A job that ends sooner than this after its start still counts in the order of queues until
  /// that time has passed; 0: no job does.
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
  /// Whether the resource "pods" is tracked: each job takes one, and nodes that do not report it
  /// have no limit.
  bool pod_limits = false;
  std::vector<std::string> away_pools;  ///< The pools whose nodes this pool's jobs may use as well.
  std::vector<std::string> guest_pools;  ///< The pools whose jobs may use this pool's nodes.
  bool cross_pool_jobs_first = true;     ///< Whether guests leave before all other jobs.
  std::string default_uniformity_label;  ///< The label for gangs that name none.
  bool gang_in_one_cluster = false;
  bool minimum_cardinality = true;  ///< A gang may start with the minimum that it declares.

  // Behaviour that preset `current` keeps as it is in Armada (the flag is false) and all other
  // presets mend.
  bool exact_index = true;
  bool isolated_trials = true;
  bool needed_victims_only = true;
  bool protect_whole_gang = true;
  bool return_room_only = true;
  bool soft_taints_prefer = true;
  bool hard_preemption_budget = true;

  /// Whether urgency names its victims when it takes a node. Otherwise it overdraws the node and
  /// finds them afterwards.
  [[nodiscard]] bool explicit_victims() const {
    return urgency != urgency_rule::preemptible_strictly_below;
  }
};

[[nodiscard]] std::string_view to_string(preset name) noexcept;
/// Fails with ec::invalid_argument, whose message names the presets that there are.
[[nodiscard]] result<preset> parse_preset(std::string_view name);

/// The keys of a preset with the product's default resources and priority classes.
[[nodiscard]] config default_config(preset name = preset::argosy);
/// The configuration under which the recorded decisions of the tests were made; its preset is
/// `current` unless another is given.
[[nodiscard]] config bench_config(preset name = preset::current);

/// What a resource counts in costs, as config::cost_multipliers says. A resource that is not named
/// there counts, but under weighted_sum only if it is cpu or nvidia.com/gpu; pods never count
/// unless they are named. Under weighted_sum the result is the weight of one unit: a core, a GPU, a
/// byte.
[[nodiscard]] double weight_of(const config& conf, std::string_view resource);

/// How many steps one unit of a resource has: a core has 1000, a byte or a GPU one.
[[nodiscard]] double steps_of_unit(const config& conf, std::string_view resource);

/// Sets the classes' flags to what `urgency` means. Call it after a change of either; the presets
/// have done so.
void mark_victims(config& conf);

/// Fails with ec::invalid_argument, whose message names the key and the fix.
[[nodiscard]] result<void> validate(const config& conf);

}  // namespace argosy::scheduling
