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
                "What an allocation costs its queue. dominantResource takes the largest part of "
                "the pool that it has of any resource; weightedSum adds up all resources with "
                "their weights; perCpuFactor adds them up with weights by which all of each "
                "resource in the pool is worth as much as all its cpu.");
  add.by_preset("costMultipliers", item.cost_multipliers,
                "Weights of resources in that cost, for example {memory: 1e-9}; they are 0.0 or "
                "more, and one at least must be above 0.0. With weightedSum a weight is that of "
                "one core, one GPU or one byte, and a resource that is not named has 1.0 if it is "
                "cpu or nvidia.com/gpu and 0.0 otherwise. With the other costs a resource that is "
                "not named has 1.0.",
                rule<number_list>{check_multipliers});
  add.by_preset("queueSelection", item.selection,
                "Which queue starts a job next. progressiveFilling takes the queue with the lowest "
                "cost by weight; slicesThenLottery gives each queue a slice of what is free and "
                "draws lots for the rest; lottery only draws lots.");
  add.section("slices", "The slices of queueSelection slicesThenLottery.");
  add.own("slices.share", item.share_of_slices,
          "What a slice is in proportion to. inverse gives more to a lower priority factor. "
          "direct gives more to a higher one, which is the formula as it was printed in 2020.");
  add.own("slices.queueLeaseBatchSize", item.queue_lease_batch_size,
          "How many jobs or gangs that do not fit into its slice a queue may try before its "
          "slice is done, from 1 on. Those that start do not count.",
          at_least<std::uint32_t>(1));
  add.section("usagePriority",
              "Whether past usage counts: a queue's weight is then 1 / (priority factor x "
              "decayed usage).");
  add.by_preset("usagePriority.enabled", item.usage_priority,
                "Switches it on. A queue that used much lately then comes later.");
  add.own("usagePriority.form", item.form_of_usage,
          "How usage fades. condor lets it fade with the half-time. literal is the formula "
          "as it was printed, in which the weights of old and new usage are exchanged.");
  add.own("usagePriority.halftime", item.priority_halftime,
          "After how long past usage counts half, from 1s on.",
          at_least(std::chrono::milliseconds{1000}));
  add.by_preset("queueOrder", item.queue_order,
                "By what queues are compared: [class, cost, name] lets jobs of a higher priority "
                "class go first whatever their queues have, [cost, name] lets the cost decide "
                "alone.",
                rule<std::vector<queue_order_key>>{check_order<queue_order_key>});
  add.by_preset("jobOrder", item.job_order,
                "By what jobs of one queue are compared: [class, priority, time], or [priority, "
                "time] to leave the priority class out.",
                rule<std::vector<job_order_key>>{check_order<job_order_key>});
  add.by_preset("evictedFirst", item.evicted_first,
                "Whether running jobs of a queue that are at stake come before its queued jobs. If "
                "false, both stand in one order.");
  add.own("preferLargeJobs", item.prefer_large_jobs,
          "If true, queues that stay within their share with their next job are compared by "
          "what they have without it, and among equals the larger job goes first; the other "
          "queues come after them. It helps large jobs to start at all.");
}

void add_preemption(adder& add, scheduling_settings& item) {
  add.section("eviction",
              "Balance between queues: running jobs of queues above their share are put at stake "
              "and have to compete for their places.");
  add.by_preset("eviction.enabled", item.evict_for_balance,
                "Whether running jobs may lose their places for balance between queues. If false, "
                "shares decide only about what starts.");
  add.by_preset("eviction.contestedOnly", item.evict_contested_only,
                "If true, only jobs of a class priority are at stake at which another queue has "
                "jobs queued.");
  add.by_preset("eviction.protectedFractionOfFairShare", item.protected_fraction,
                "A queue whose cost is above this part of its fair share puts its preemptible jobs "
                "at stake, 0.0 or more. With 1.0 these are the queues above their share, with 0.0 "
                "all queues; a high value such as 10.0 practically ends preemption for balance.",
                at_least(0.0));
  add.own("eviction.protectUncapped", item.protect_uncapped,
          "If true, the share that a queue would have with endless demand is taken for that, "
          "and not the share that its demand caps.");
  add.own("eviction.probability", item.eviction_probability,
          "The part of the nodes whose jobs are at stake in a round, 0.0 to 1.0; they are "
          "drawn anew each time. Lower values move fewer jobs at a time.",
          between(0.0, 1.0));
  add.by_preset("urgencyVictims", item.urgency,
                "Whom a job of a higher class may push out when there is no room: "
                "urgencyPreemptible, jobs of lower classes with that flag; preemptibleLower, jobs "
                "of lower classes that are preemptible for balance; anyLower, all jobs of lower "
                "classes; none; or preemptibleStrictlyBelow, as Armada, where the job overruns a "
                "node and those bound below it leave afterwards. The last one needs return: all "
                "and nodeOrder: [noPreemption, bestFit].");
  add.by_preset("preemptionBudget", item.budget,
                "What fairsharePreemptionBurst does. hard: it caps the jobs that are preempted for "
                "balance. soft: it only ends the search for more, as Armada does.");
  add.by_preset("victims", item.victims,
                "What happens to victims without whom the job fits too. needed: they keep their "
                "places. all: they leave, as in Armada.");
  add.by_preset("return", item.returning,
                "What a running job that is at stake must pass to keep its place. roomOnly: only "
                "its room must not be taken. all: labels, taints, limits and cordons are asked "
                "again, as in Armada.");
  add.by_preset("gangProtection", item.protection,
                "What a class protects inside a gang. wholeGang: one member of a protected class "
                "protects all. member: gangs leave as a whole whatever the classes are, as in "
                "Armada.");
}

void add_nodes(adder& add, scheduling_settings& item) {
  add.by_preset("nodeOrder", item.node_order,
                "By what the nodes for a job are compared, the first key first: noPreemption "
                "(nobody loses a place there), lowestVictimClass, largestVictimShare (of the queue "
                "that loses), leastVictims, soleUserNode (only this queue runs there), emptyNode, "
                "sharedNode, and bestFit (least is left free). noPreemption must come first unless "
                "nobody can be preempted. Ties go to the lower node id.",
                rule<std::vector<node_order_key>>{check_order<node_order_key>});
  add.by_preset("nodeIndex", item.index,
                "How free amounts are compared. exact: as they are. rounded: as the index rounds "
                "them, so that an exact fit may be missed, as in Armada.");
  add.by_preset("softTaints", item.taints,
                "What a taint with the effect PreferNoSchedule does to jobs that do not tolerate "
                "it. prefer: such a node comes last among equal ones. hard: it is excluded.");
  add.section("gang", "Jobs that start together.");
  add.by_preset("gang.placement", item.placement,
                "anywhere, or oneCluster, which puts all members of a gang on one cluster. Choose "
                "oneCluster if your clusters are far apart.");
  add.by_preset("gang.minimumCardinality", item.minimum_cardinality,
                "Whether a gang may start with the minimum cardinality that its jobs declare; its "
                "other members are rejected then. If false, all members must fit.");
  add.own("gang.defaultUniformityLabel", item.default_uniformity_label,
          "A node label whose value all members of a gang must share, for gangs that name "
          "none, for example a label that names the rack. Empty means that members may stand "
          "anywhere.");
  add.by_preset("gangTrials", item.trials,
                "What a try to place a gang leaves behind when it fails. isolated: nothing. "
                "leaking: priorities and tolerations of the try, as in Armada.");
}

void add_limits(adder& add, scheduling_settings& item) {
  add.own("maxQueueLookback", item.queue_lookback_max,
          "How many queued jobs of one queue a round looks at, 0 for all. It bounds the time "
          "of a round; jobs further back wait until others have started.");
  add.own("maximumSchedulingRate", item.scheduling_rate,
          "How many jobs may start a second on average, over all pools; 0.0 means no limit. "
          "The bucket is full when a server takes the lead, so that a restart may let one "
          "burst more start.",
          at_least(0.0));
  add.own("maximumSchedulingBurst", item.scheduling_burst,
          "How many jobs may start at once; 0 means no limit. A rate needs it. Without a "
          "rate it is what one round may start. A gang with more members than this never "
          "starts.");
  add.own("maximumPerQueueSchedulingRate", item.queue_scheduling_rate,
          "How many jobs of one queue may start a second on average, 0.0 for no limit.",
          at_least(0.0));
  add.own("maximumPerQueueSchedulingBurst", item.queue_scheduling_burst,
          "How many jobs of one queue may start at once, 0 for no limit. A rate needs it; a "
          "gang with more members never starts.");
  add.own("fairsharePreemptionRate", item.preemption_rate,
          "How many jobs may be preempted for balance a second on average in each pool, 0.0 "
          "for no limit.",
          at_least(0.0));
  add.own("fairsharePreemptionBurst", item.preemption_burst,
          "How many jobs may be preempted for balance at once, 0 for no limit. A rate needs "
          "it. Without a rate it is what one round may preempt. It does not hold back "
          "preemption for urgency.");
  add.own("maxNewDecisions", item.new_decisions_max,
          "How many jobs or gangs that are not running yet one round tries, 0 for all. It "
          "bounds the time of a round.");
  add.own("maxNewDecisionsPerQueue", item.queue_new_decisions_max,
          "The same for each queue by itself, 0 for all.");
  add.own("maximumResourceFractionToSchedule", item.round_fraction_max,
          "Which part of the pool one round may fill with new jobs, by resource from 0.0 to "
          "1.0, for example {cpu: 0.5}. Lower values spread a rush over several rounds.",
          rule<number_list>{check_fractions});
  add.own("shortJobPenaltyCutoff", item.short_job_cutoff,
          "If a job ends sooner than this after its start, it counts for its queue until "
          "then, so that a queue of very short jobs does not come first all the time. 0s "
          "switches it off.",
          at_least(std::chrono::milliseconds{0}));
}

void add_inventory(adder& add, scheduling_settings& item) {
  add.own("resources", item.resources,
          "The resources of nodes that jobs may request, each with the smallest step that is "
          "told apart, which must be 1m for cpu and 1 for others. A job that requests "
          "another resource is refused.");
  add.own("respectNodePodLimits", item.pod_limits,
          "Whether a node takes no more jobs at a time than the pods that it reports.");
  add.own("indexedResources", item.indexed_resources,
          "The resources by which bestFit compares nodes, the most important first, each "
          "rounded to its resolution. At most 16. Put the scarcest first, so that small jobs "
          "leave large nodes alone.");
  add.own("indexedNodeLabels", item.indexed_labels,
          "Labels by which nodes are told apart quickly. Name those that many jobs select "
          "by; it changes the speed of a round, and under preset current also which labels a "
          "gang may name.");
  add.own("indexedTaints", item.indexed_taints,
          "Keys of taints by which nodes are told apart quickly. With softTaints: prefer all "
          "taints are, whatever stands here.");
  add.own("floatingResources", item.floating,
          "Resources that a pool has as a whole, such as licences, as [{name: licence, "
          "total: 20, pools: [default]}]. Without pools each pool has the whole total.");
  add.own("wellKnownNodeTypes", item.node_types,
          "Names for kinds of nodes by their taints, which awayNodeTypes of a priority class "
          "may use: [{name: gpu, taints: [{key: gpu, value: \"true\", effect: NoSchedule}]}].");
  add.own("priorityClasses", item.classes,
          "The priority classes. Each has a name and a priority (0 or more; a higher one "
          "goes first). preemptible says whether its jobs may lose their places for balance "
          "and for urgency, and fairSharePreemptible and urgencyPreemptible say it for one "
          "of the two. maximumResourceFractionPerQueue caps what one queue may use of the "
          "pool in this class, for example {cpu: 0.5}. awayNodeTypes: [{priority, nodeType}] "
          "lets its jobs use other kinds of nodes at a reduced priority.");
  add.own("defaultPriorityClassName", item.default_class,
          "The class of jobs that name none. It must be one of priorityClasses.", not_empty());
  add.own("preemptCrossPoolJobsFirst", item.cross_pool_jobs_first,
          "Whether jobs of another pool that use nodes of a pool leave before any job of "
          "that pool itself.");
  add.own("pools", item.pools,
          "Settings of single pools; a pool without any need not be named. Each has a name "
          "and may have: awayPools, whose nodes the jobs of this pool may use as well; "
          "protectedFractionOfFairShare and maximumResourceFractionToSchedule, which replace "
          "those above; unscheduledResources, so that jobs that request one of them do not "
          "start here; tolerations that all jobs get here; and the switches "
          "disableFairSharePreemption, disableUrgencyPreemption, disableAway and "
          "disableGangAway.");
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
  add.own("preset", item.base,
          "Which scheduler decides: argosy; current, which decides bit for bit as Armada's "
          "code does; or unified, classic and lottery, which follow Armada's documents of "
          "three periods. Keys that are shown commented out have a default of their own in "
          "each preset; what is shown is that of argosy.");
  add_fairness(add, item);
  add_preemption(add, item);
  add_nodes(add, item);
  add_limits(add, item);
  add_inventory(add, item);
}

}  // namespace argosy::settings
