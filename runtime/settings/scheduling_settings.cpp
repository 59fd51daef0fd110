// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/scheduling_settings.hpp"

#include "runtime/model/quantity.hpp"

namespace argosy::settings {

namespace {

/// What Armada does and all other presets mend.
void keep_surprises(scheduling_settings& item) {
  item.index = node_index::rounded;
  item.trials = gang_trials::leaking;
  item.victims = victim_choice::all;
  item.protection = gang_protection::member;
  item.returning = return_checks::all;
  item.taints = soft_taints::hard;
  item.budget = preemption_budget::soft;
  item.minimum_cardinality = false;
}

void make_classic(scheduling_settings& item) {
  item.cost = cost_kind::weighted_sum;
  item.queue_order = {queue_order_key::cost, queue_order_key::name};
  item.job_order = {job_order_key::priority, job_order_key::time};
  item.node_order = {node_order_key::no_preemption, node_order_key::sole_user_node,
                     node_order_key::empty_node, node_order_key::shared_node,
                     node_order_key::best_fit};
  item.evict_contested_only = true;
  item.urgency = urgency_victims::preemptible_lower;
  item.placement = gang_placement::one_cluster;
}

void make_lottery(scheduling_settings& item) {
  item.cost = cost_kind::per_cpu_factor;
  item.selection = queue_selection::slices_then_lottery;
  item.usage_priority = true;
  item.evict_for_balance = false;
  item.queue_order = {queue_order_key::cost, queue_order_key::name};
  item.job_order = {job_order_key::priority, job_order_key::time};
  item.node_order = {node_order_key::best_fit};
  item.urgency = urgency_victims::none;
  item.placement = gang_placement::one_cluster;
}

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

complaint check_own_fractions(const std::optional<number_list>& list) {
  return list ? check_fractions(*list) : std::nullopt;
}

complaint check_multipliers(const number_list& list) {
  for (const auto& [name, factor] : list)
    if (factor < 0) return "'" + name + "' must not be negative";
  return std::nullopt;
}

template <class Key>
complaint check_order(const std::vector<Key>& keys) {
  if (keys.empty()) return "must name at least one key";
  return std::nullopt;
}

class adder {
 public:
  adder(field_table& table, std::string prefix) : table_(table), prefix_(std::move(prefix)) {}

  void section(const std::string& name, std::string doc) {
    table_.section(prefix_ + name, std::move(doc));
  }
  template <class T>
  void own(const std::string& name, T& target, std::string doc, rule<T> must = {}) {
    table_.value(prefix_ + name, target, std::move(doc), std::move(must));
  }
  template <class T>
  void by_preset(const std::string& name, T& target, std::string doc, rule<T> must = {}) {
    table_.value(prefix_ + name, target, std::move(doc), std::move(must)).by_preset = true;
  }

 private:
  field_table& table_;
  std::string prefix_;
};

void add_fairness(adder& add, scheduling_settings& item) {
  add.by_preset("cost", item.cost,
                "What an allocation costs its queue: dominantResource (the largest part of the "
                "pool), weightedSum, or perCpuFactor.");
  add.by_preset("costMultipliers", item.cost_multipliers,
                "Weights by resource, for example {memory: 1e-9}. weightedSum: of a core, a GPU, a "
                "byte; 1.0 for cpu and nvidia.com/gpu and 0.0 for others unless named. Else 1.0 "
                "unless named. One at least must be above 0.0.",
                rule<number_list>{check_multipliers});
  add.by_preset("queueSelection", item.selection,
                "Which queue is next: progressiveFilling, slicesThenLottery, or lottery.");
  add.section("slices", "Of queueSelection slicesThenLottery.");
  add.own("slices.share", item.share_of_slices,
          "inverse: a lower priority factor gets more. direct: as printed in 2020, the contrary.");
  add.own("slices.queueLeaseBatchSize", item.queue_lease_batch_size,
          "The window of gangs that a queue tries in its slice. Those that start leave it to the "
          "next ones; once it is full of those that do not fit, the slice is done.",
          at_least<std::uint32_t>(1));
  add.section("usagePriority",
              "Queues are weighed by their past usage too: weight = 1 / (priority factor x decayed "
              "usage).");
  add.by_preset("usagePriority.enabled", item.usage_priority, "");
  add.own(
      "usagePriority.form", item.form_of_usage,
      "condor: usage fades with the half-time. literal: the formula as it was printed, in which "
      "the weights of old and new usage are exchanged.");
  add.own("usagePriority.halftime", item.priority_halftime, "After which past usage counts half.",
          at_least(std::chrono::milliseconds{1000}));
  add.by_preset("queueOrder", item.queue_order,
                "By what queues are compared, in this order: class, cost, name.",
                rule<std::vector<queue_order_key>>{check_order<queue_order_key>});
  add.by_preset("jobOrder", item.job_order,
                "By what jobs of one queue are compared: class, priority, time.",
                rule<std::vector<job_order_key>>{check_order<job_order_key>});
  add.by_preset("evictedFirst", item.evicted_first,
                "Evicted jobs come before queued ones of their queue; else they are sorted in.");
  add.own("preferLargeJobs", item.prefer_large_jobs,
          "Between queues of equal rank the one with the larger head job is first.");
}

void add_preemption(adder& add, scheduling_settings& item) {
  add.section("eviction", "Running jobs that the round may place anew or not at all.");
  add.by_preset("eviction.enabled", item.evict_for_balance,
                "Whether jobs lose their place for balance between queues.");
  add.by_preset("eviction.contestedOnly", item.evict_contested_only,
                "Only jobs of a class priority at which another queue has jobs queued.");
  add.by_preset("eviction.protectedFractionOfFairShare", item.protected_fraction,
                "Only queues above this part of their fair share give up preemptible jobs; 0.0 for "
                "all queues.",
                at_least(0.0));
  add.own("eviction.protectUncapped", item.protect_uncapped,
          "Measure against the share that is not capped by demand.");
  add.own("eviction.probability", item.eviction_probability,
          "Of each node to take part, drawn from the round's seed.", between(0.0, 1.0));
  add.by_preset("urgencyVictims", item.urgency,
                "Whom an urgent job may displace: urgencyPreemptible (classes of lower priority "
                "with that flag), preemptibleLower (classes of lower priority that are "
                "fairSharePreemptible), anyLower (preemptible or not), none, or "
                "preemptibleStrictlyBelow (as Armada: the job overruns a node, and those bound "
                "below it leave afterwards; needs return: all and nodeOrder: [noPreemption, "
                "bestFit]).");
  add.by_preset("preemptionBudget", item.budget,
                "hard: fairsharePreemptionBurst caps the jobs preempted. soft: it only ends the "
                "search.");
  add.by_preset("victims", item.victims,
                "needed: victims without whom the job fits too return at once. all: none does.");
  add.by_preset("return", item.returning,
                "What an evicted job must pass to keep its place: roomOnly, or all checks anew.");
  add.by_preset("gangProtection", item.protection,
                "wholeGang: one member that its class protects protects the gang. member: itself.");
}

void add_nodes(adder& add, scheduling_settings& item) {
  add.by_preset("nodeOrder", item.node_order,
                "By what nodes for a job are compared, in this order: noPreemption (always first, "
                "unless nobody can be preempted), lowestVictimClass, largestVictimShare, "
                "leastVictims, soleUserNode (only this queue runs there), emptyNode, sharedNode, "
                "bestFit. Ties go to the lower node id.",
                rule<std::vector<node_order_key>>{check_order<node_order_key>});
  add.by_preset("nodeIndex", item.index,
                "exact: amounts are compared exactly. rounded: as the index rounds them.");
  add.by_preset("softTaints", item.taints,
                "prefer: PreferNoSchedule orders nodes of equal rank. hard: it excludes them.");
  add.section("gang", "Jobs that start together.");
  add.by_preset("gang.placement", item.placement,
                "anywhere, or oneCluster: all members of a gang on one cluster.");
  add.by_preset("gang.minimumCardinality", item.minimum_cardinality,
                "Whether a gang may start with the minimum that its jobs declare.");
  add.own("gang.defaultUniformityLabel", item.default_uniformity_label,
          "A node label whose value all members must share, for gangs that name none.");
  add.by_preset("gangTrials", item.trials,
                "isolated: an undone trial leaves no trace. leaking: as Armada's.");
}

void add_limits(adder& add, scheduling_settings& item) {
  add.own("maxQueueLookback", item.queue_lookback_max,
          "New jobs of a queue that one round looks at; 0 for all.");
  add.own(
      "maximumSchedulingRate", item.scheduling_rate,
      "Jobs started a second over all pools, on average; 0.0 for no limit. Buckets are full when "
      "a server takes the lead, so a restart may start a burst more.",
      at_least(0.0));
  add.own(
      "maximumSchedulingBurst", item.scheduling_burst,
      "And at once; a gang larger than this never starts. A rate needs it; without a rate it is "
      "what one round may start. 0 for no limit.");
  add.own("maximumPerQueueSchedulingRate", item.queue_scheduling_rate, "The same for each queue.",
          at_least(0.0));
  add.own("maximumPerQueueSchedulingBurst", item.queue_scheduling_burst, "");
  add.own("fairsharePreemptionRate", item.preemption_rate,
          "Jobs preempted a second for balance, on average, in each pool; 0.0 for no limit.",
          at_least(0.0));
  add.own("fairsharePreemptionBurst", item.preemption_burst,
          "And at once. A rate needs it; without a rate it is what one round may preempt. 0 for no "
          "limit.");
  add.own("maxNewDecisions", item.new_decisions_max,
          "Gangs with new jobs that one round tries; 0 for all.");
  add.own("maxNewDecisionsPerQueue", item.queue_new_decisions_max, "The same for each queue.");
  add.own("maximumResourceFractionToSchedule", item.round_fraction_max,
          "Part of the pool that one round may fill anew, for example {cpu: 0.5}.",
          rule<number_list>{check_fractions});
  add.own("shortJobPenaltyCutoff", item.short_job_cutoff,
          "A job that ends sooner than this after its start counts as running until then when "
          "queues are ordered; 0s for no.",
          at_least(std::chrono::milliseconds{0}));
}

void add_inventory(adder& add, scheduling_settings& item) {
  add.own("resources", item.resources,
          "The resources that nodes have and jobs may request, each with the smallest step that is "
          "told apart. Any other resource is refused.");
  add.own("respectNodePodLimits", item.pod_limits,
          "Whether nodes take no more jobs than the pods that they report.");
  add.own("indexedResources", item.indexed_resources,
          "Resources by which nodes are ordered for best fit, most important first, rounded to the "
          "resolution.");
  add.own("indexedNodeLabels", item.indexed_labels,
          "Labels by which nodes are told apart quickly; name those that jobs select by.");
  add.own("indexedTaints", item.indexed_taints, "The same for taints; empty for all.");
  add.own("floatingResources", item.floating,
          "Resources that a pool has as a whole, such as licences: [{name: licence, total: 20, "
          "pools: [default]}]; no pools for all.");
  add.own("wellKnownNodeTypes", item.node_types,
          "Names for kinds of nodes by their taints, for awayNodeTypes: [{name: gpu, taints: "
          "[{key: gpu, value: \"true\", effect: NoSchedule}]}].");
  add.own("priorityClasses", item.classes,
          "name; priority (0 or more, higher goes first); preemptible, or fairSharePreemptible and "
          "urgencyPreemptible each; maximumResourceFractionPerQueue; awayNodeTypes: [{priority, "
          "nodeType}].");
  add.own("defaultPriorityClassName", item.default_class, "For jobs that name none.", not_empty());
  add.own("preemptCrossPoolJobsFirst", item.cross_pool_jobs_first,
          "Whether jobs that use nodes of an away pool leave before any job of that pool.");
  add.own(
      "pools", item.pools,
      "Pools with settings of their own; others need not be named. name; awayPools (whose nodes "
      "this pool's jobs may use as well); "
      "protectedFractionOfFairShare; maximumResourceFractionToSchedule; unscheduledResources; "
      "tolerations; "
      "disableFairSharePreemption; disableUrgencyPreemption; disableAway; disableGangAway.");
}

}  // namespace

scheduling_settings::scheduling_settings() {
  priority_class_settings standard;
  standard.name = "armada-default";
  standard.priority = 30'000;
  priority_class_settings preemptible;
  preemptible.name = "armada-preemptible";
  preemptible.priority = 20'000;
  preemptible.preemptible = true;
  classes = {standard, preemptible};
}

scheduling_settings preset_settings(preset name) {
  scheduling_settings item;
  item.base = name;
  switch (name) {
    case preset::argosy:
      break;
    case preset::current:
      keep_surprises(item);
      item.urgency = urgency_victims::preemptible_strictly_below;
      item.node_order = {node_order_key::no_preemption, node_order_key::best_fit};
      break;
    case preset::unified:
      item.protected_fraction = 0;
      item.evicted_first = false;
      item.urgency = urgency_victims::any_lower;
      item.node_order = {node_order_key::no_preemption, node_order_key::lowest_victim_class,
                         node_order_key::largest_victim_share, node_order_key::best_fit};
      break;
    case preset::classic:
      make_classic(item);
      break;
    case preset::lottery:
      make_lottery(item);
      break;
  }
  return item;
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
  table.value("awayPools", item.away_pools, "");
  table.value("protectedFractionOfFairShare", item.protected_fraction, "");
  table.value("maximumResourceFractionToSchedule", item.round_fraction_max, "",
              rule<std::optional<number_list>>{check_own_fractions});
  table.value("unscheduledResources", item.unscheduled_resources, "");
  table.value("tolerations", item.tolerations, "");
  table.value("disableFairSharePreemption", item.disable_fair_share_preemption, "");
  table.value("disableUrgencyPreemption", item.disable_urgency_preemption, "");
  table.value("disableAway", item.disable_away, "");
  table.value("disableGangAway", item.disable_gang_away, "");
}

void describe_scheduling(field_table& table, scheduling_settings& item, const std::string& prefix) {
  adder add{table, prefix};
  add.own(
      "preset", item.base,
      "argosy; current (Armada's code, bit for bit), unified, classic, lottery (what its "
      "documents of three periods describe). Keys that are shown commented out follow from it.");
  add_fairness(add, item);
  add_preemption(add, item);
  add_nodes(add, item);
  add_limits(add, item);
  add_inventory(add, item);
}

}  // namespace argosy::settings
