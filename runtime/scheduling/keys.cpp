// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/keys.hpp"

#include <array>

#include "runtime/scheduling/keys/binding.hpp"
#include "runtime/scheduling/keys/limits.hpp"
#include "runtime/scheduling/keys/spellings.hpp"

namespace argosy::scheduling {

namespace keys {

using key_kind::duration;
using enum key_scope;

constexpr double second_ns = 1e9;

constexpr std::array fairness = {
    key_of<&config::base>(
        "preset",
        "Which scheduler decides: argosy; current, which decides bit for bit as Armada's "
        "code does; or unified, classic and lottery, which follow Armada's documents of "
        "three periods. Keys that are shown commented out have a default of their own in "
        "each preset; what is shown is that of argosy.",
        presets)
        .fixed(),
    key_of<&config::cost>(
        "cost",
        "What an allocation costs its queue. dominantResource takes the largest part of "
        "the pool that it has of any resource; weightedSum adds up all resources with "
        "their weights; perCpuFactor adds them up with weights by which all of each "
        "resource in the pool is worth as much as all its cpu.",
        costs),
    key_of<&config::cost_multipliers>(
        "costMultipliers",
        "Weights of resources in that cost, for example {memory: 1e-9}; they are 0.0 or "
        "more, and one at least must be above 0.0. With weightedSum a weight is that of "
        "one core, one GPU or one byte, and a resource that is not named has 1.0 if it is "
        "cpu or nvidia.com/gpu and 0.0 otherwise. With the other costs a resource that is "
        "not named has 1.0."),
    key_of<&config::selection>(
        "queueSelection",
        "Which queue starts a job next. progressiveFilling takes the queue with the "
        "lowest cost by weight; slicesThenLottery gives each queue a slice of what is "
        "free and draws lots for the rest; lottery only draws lots.",
        selections),
    heading("slices", "The slices of queueSelection slicesThenLottery."),
    key_of<&config::slices>(
        "slices.share",
        "What a slice is in proportion to. inverse gives more to a lower priority factor. "
        "direct gives more to a higher one, which is the formula as it was printed in "
        "2020.",
        slice_shares),
    key_of<&config::slice_batch>(
        "slices.queueLeaseBatchSize",
        "How many jobs or gangs that do not fit into its slice a queue may try before its "
        "slice is done, from 1 on. Those that start do not count.")
        .from(1),
    heading("usagePriority",
            "Whether past usage counts: a queue has its turns as if its weight were 1 / (priority "
            "factor x decayed usage). What it may keep goes by its share, as without this."),
    key_of<&config::usage_priority>(
        "usagePriority.enabled", "Switches it on. A queue that used much lately then comes later."),
    key_of<&config::usage_decay>(
        "usagePriority.form",
        "How usage fades. condor lets it fade with the half-time. literal is the formula "
        "as it was printed, in which the weights of old and new usage are exchanged.",
        usage_forms),
    key_of<&config::usage_half_time_ns>("usagePriority.halftime",
                                        "After how long past usage counts half, from 1s on.")
        .as(duration)
        .from(second_ns),
    ordered<&config::class_before_cost>(
        "queueOrder",
        "By what queues are compared: [class, cost, name] lets jobs of a higher priority "
        "class go first whatever their queues have, [cost, name] lets the cost decide "
        "alone.",
        queue_order),
    ordered<&config::class_in_job_order>(
        "jobOrder",
        "By what jobs of one queue are compared: [class, priority, time], or [priority, "
        "time] to leave the priority class out.",
        job_order)
        .fixed(),
    key_of<&config::evicted_first>(
        "evictedFirst",
        "Whether running jobs of a queue that are at stake (see eviction) come before its queued "
        "jobs. If false, both stand in one order."),
    key_of<&config::prefer_large_jobs>(
        "preferLargeJobs",
        "If true, queues that stay within their share with their next job are compared by "
        "what they have without it, and among equals the larger job goes first; the other "
        "queues come after them. It helps large jobs to start at all."),
    named<&config::feasible_heads>(
        "headFeasibility",
        "Whether a job or gang that could not start now, even with all that may be preempted for "
        "it, is passed over (now), or keeps its turn and delays the jobs behind it (off, as "
        "Armada). What is passed over counts neither for maxQueueLookback nor for "
        "maxNewDecisions.",
        head_checks),
    key_of<&config::rank_at_share>(
        "rankAtShare",
        "Whether a job or gang with which its queue would cross its share is ranked as if the "
        "queue ended at the share, so that its size does not make the queue wait below its "
        "share."),
};

constexpr std::array preemption = {
    heading("eviction",
            "Balance between queues: running jobs of queues above their share are put at "
            "stake and have to compete for their places."),
    key_of<&config::evict_for_balance>(
        "eviction.enabled",
        "Whether running jobs may lose their places for balance between queues. If false, "
        "shares decide only about what starts."),
    key_of<&config::evict_contested_only>(
        "eviction.contestedOnly",
        "If true, a running job is at stake only if another queue has jobs queued of a class "
        "with the same priority."),
    key_of<&config::protected_fraction>(
        "eviction.protectedFractionOfFairShare",
        "A queue whose cost is above this part of its fair share puts its preemptible "
        "jobs at stake, 0.0 or more. With 1.0 these are the queues above their share, "
        "with 0.0 all queues; a high value such as 10.0 practically ends preemption for "
        "balance.")
        .of(pools_too),
    key_of<&config::protect_uncapped>(
        "eviction.protectUncapped",
        "If true, the share that a queue would have with endless demand is taken for "
        "that, and not the share that its demand caps."),
    key_of<&config::gang_loss_factor>(
        "eviction.gangLossFactor",
        "A gang at stake gives way only if the cost of all that falls with it is at most this "
        "many times what the queue of the new job is owed, which is its share without what it "
        "holds; otherwise the job takes another node or waits. With 0 no gang gives way for "
        "balance. Preset current does not ask.")
        .to(1e6),
    key_of<&config::eviction_probability>(
        "eviction.probability",
        "The part of the nodes whose jobs are at stake in a round, 0.0 to 1.0; they are "
        "drawn anew each time. Lower values move fewer jobs at a time.")
        .to(1),
    key_of<&config::urgency>(
        "urgencyVictims",
        "Whom a job of a higher class may push out when there is no room: "
        "urgencyPreemptible, jobs of lower classes with that flag; preemptibleLower, jobs "
        "of lower classes that are preemptible for balance; anyLower, all jobs of lower "
        "classes; none; or preemptibleStrictlyBelow, as Armada, where the job overruns a "
        "node and those bound below it leave afterwards. The last one needs return: all "
        "and nodeOrder: [noPreemption, bestFit].",
        urgency_rules)
        .fixed(),
    named<&config::hard_preemption_budget>(
        "preemptionBudget",
        "What fairsharePreemptionBurst does. hard: it caps the jobs that are preempted "
        "for balance. soft: it only ends the search for more, as Armada does.",
        preemption_budgets),
    named<&config::needed_victims_only>(
        "victims",
        "What happens to victims without whom the job fits too. needed: they keep their "
        "places. all: they leave, as in Armada.",
        victim_choices),
    named<&config::return_room_only>(
        "return",
        "What a running job that is at stake must pass to keep its place. roomOnly: only "
        "its room must not be taken. all: its room, its floating resources and the label of "
        "its gang are asked again, and limits if members of its gang are queued, as in "
        "Armada.",
        return_checks),
    named<&config::protect_whole_gang>(
        "gangProtection",
        "What a class protects inside a gang. wholeGang: one member of a protected class "
        "protects all. member: gangs leave as a whole whatever the classes are, as in "
        "Armada.",
        gang_protections),
};

constexpr std::array nodes_and_gangs = {
    key_of<&config::node_order>("nodeOrder", node_order_text, node_key_names).from(1),
    named<&config::exact_index>(
        "nodeIndex",
        "How free amounts are compared. exact: as they are. rounded: as the index rounds "
        "them, so that an exact fit may be missed, as in Armada.",
        node_indexes),
    named<&config::soft_taints_prefer>(
        "softTaints",
        "What a taint with the effect PreferNoSchedule does to jobs that do not tolerate "
        "it. prefer: such a node comes last among equal ones. hard: it is excluded.",
        soft_taints)
        .fixed(),
    heading("gang", "Jobs that start together."),
    named<&config::gang_in_one_cluster>(
        "gang.placement",
        "anywhere, or oneCluster, which puts all members of a gang on one cluster. Choose "
        "oneCluster if your clusters are far apart.",
        gang_placements),
    key_of<&config::minimum_cardinality>(
        "gang.minimumCardinality",
        "Whether a gang may start with the minimum cardinality that its jobs declare; its "
        "other members are rejected then. If false, all members must fit."),
    key_of<&config::default_uniformity_label>(
        "gang.defaultUniformityLabel",
        "A node label whose value all members of a gang must share, for gangs that name "
        "none, for example a label that names the rack. Empty means that members may "
        "stand anywhere.")
        .fixed(),
    named<&config::isolated_trials>(
        "gangTrials",
        "What a try to place a gang leaves behind when it fails. isolated: nothing. "
        "leaking: priorities and tolerations of the try, as in Armada.",
        gang_trials),
};

constexpr std::array inventory = {
    structured("resources",
               "The resources of nodes that jobs may request, each with the smallest step that "
               "is told apart, which must be 1m for cpu and 1 for others. A job that requests "
               "another resource is refused.")
        .fixed(),
    key_of<&config::pod_limits>(
        "respectNodePodLimits",
        "Whether a node takes no more jobs at a time than the pods that it reports.")
        .fixed(),
    structured("indexedResources",
               "The resources by which bestFit compares nodes, the most important first, each "
               "rounded to its resolution. At most 16. Put the scarcest first, so that small "
               "jobs leave large nodes alone."),
    key_of<&config::indexed_labels>(
        "indexedNodeLabels",
        "Labels by which nodes are told apart quickly. Name those that many jobs select "
        "by; it changes the speed of a round, and under preset current also which labels "
        "a gang may name.")
        .fixed(),
    key_of<&config::indexed_taints>(
        "indexedTaints",
        "Keys of taints by which nodes are told apart quickly. With softTaints: prefer "
        "all taints are, whatever stands here.")
        .fixed(),
    structured("floatingResources",
               "Resources that a pool has as a whole, such as licences, as [{name: licence, "
               "total: 20, pools: [default]}]. Without pools each pool has the whole total.")
        .fixed(),
    structured("wellKnownNodeTypes",
               "Names for kinds of nodes by their taints, which awayNodeTypes of a priority "
               "class may use: [{name: gpu, taints: [{key: gpu, value: \"true\", effect: "
               "NoSchedule}]}]."),
    structured("priorityClasses",
               "The priority classes. Each has a name and a priority (0 or more; a higher one "
               "goes first). preemptible says whether its jobs may lose their places for balance "
               "and for urgency, and fairSharePreemptible and urgencyPreemptible say it for one "
               "of the two. With minRunTime, at most 30d, a run gives way for balance only once "
               "it has lasted that long since its lease. maximumResourceFractionPerQueue caps "
               "what one queue may use of the pool in this class, for example {cpu: 0.5}. "
               "awayNodeTypes: [{priority, nodeType}] lets its jobs use other kinds of nodes at "
               "a reduced priority.")
        .fixed(),
    key_of<&config::default_class>(
        "defaultPriorityClassName",
        "The class of jobs that name none. It must be one of priorityClasses.")
        .fixed()
        .from(1),
    key_of<&config::cross_pool_jobs_first>(
        "preemptCrossPoolJobsFirst",
        "Whether jobs of another pool that use nodes of a pool leave before any job of "
        "that pool itself."),
    structured("pools",
               "Settings of single pools; a pool without any need not be named. Each has a name "
               "and may have: awayPools, whose nodes the jobs of this pool may use as well; "
               "protectedFractionOfFairShare and maximumResourceFractionToSchedule, which "
               "replace those above; unscheduledResources, so that jobs that request one of them "
               "do not start here; tolerations that all jobs get here; and the switches "
               "disableFairSharePreemption, disableUrgencyPreemption, disableAway and "
               "disableGangAway."),
};

constexpr std::array of_pools = {
    key_of<&config::away_pools>("awayPools", "Pools whose nodes this pool's jobs may use as well.")
        .of(pools_only),
    key_of<&config::unscheduled_resources>(
        "unscheduledResources", "A job of the pool that requests one of these is not placed.")
        .of(pools_only),
    structured("tolerations", "Tolerations that every job of the pool has.").of(pools_only),
    key_of<&config::disable_fair_share_preemption>("disableFairSharePreemption",
                                                   "Nobody in the pool loses a place for balance.")
        .of(pools_only),
    key_of<&config::disable_urgency_preemption>(
        "disableUrgencyPreemption", "Nobody in the pool loses a place to an urgent job.")
        .of(pools_only),
    key_of<&config::disable_away>("disableAway",
                                  "Jobs of the pool do not use the awayNodeTypes of their class.")
        .of(pools_only),
    key_of<&config::disable_gang_away>(
        "disableGangAway", "Gangs of the pool do not use the awayNodeTypes of their class.")
        .of(pools_only),
    key_of<&config::guest_pools>("guestPools", "Pools that name this one among their awayPools.")
        .of(nobody),
};

constexpr auto table = joined(fairness, preemption, nodes_and_gangs, limits, inventory, of_pools);

}  // namespace keys

std::span<const key> all_keys() {
  return keys::table;
}

std::span<const std::string_view> preset_names() {
  return keys::presets;
}

}  // namespace argosy::scheduling
