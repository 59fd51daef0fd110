// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/keys.hpp"

#include <array>

#include "runtime/scheduling/keys/binding.hpp"

namespace argosy::scheduling {

namespace keys {

using key_kind::burst;
using key_kind::duration;
using key_kind::rate;
using enum key_scope;

/// How the values of an enumeration are spelt, in its order up to the last.
template <auto Last, class... Names>
constexpr auto spelt(Names... names) {
  static_assert(sizeof...(Names) == static_cast<std::size_t>(Last) + 1);
  return std::array<std::string_view, sizeof...(Names)>{names...};
}
constexpr auto presets =
    spelt<preset::lottery>("argosy", "current", "unified", "classic", "lottery");
constexpr auto costs =
    spelt<cost_kind::per_cpu_factor>("dominantResource", "weightedSum", "perCpuFactor");
constexpr auto selections =
    spelt<queue_selection::lottery>("progressiveFilling", "slicesThenLottery", "lottery");
constexpr auto slice_shares = spelt<slice_share::direct>("inverse", "direct");
constexpr auto usage_forms = spelt<usage_form::literal>("condor", "literal");
constexpr auto urgency_rules = spelt<urgency_rule::never>(
    "urgencyPreemptible", "preemptibleStrictlyBelow", "preemptibleLower", "anyLower", "none");
constexpr auto node_keys =
    spelt<node_key::best_fit>("noPreemption", "lowestVictimClass", "largestVictimShare",
                              "leastVictims", "soleUserNode", "emptyNode", "sharedNode", "bestFit");

/// How flags are spelt that files show as a choice: set, then not set.
constexpr std::array<std::string_view, 2> node_indexes{"exact", "rounded"};
constexpr std::array<std::string_view, 2> gang_trials{"isolated", "leaking"};
constexpr std::array<std::string_view, 2> victim_choices{"needed", "all"};
constexpr std::array<std::string_view, 2> gang_protections{"wholeGang", "member"};
constexpr std::array<std::string_view, 2> return_checks{"roomOnly", "all"};
constexpr std::array<std::string_view, 2> soft_taints{"prefer", "hard"};
constexpr std::array<std::string_view, 2> preemption_budgets{"hard", "soft"};
constexpr std::array<std::string_view, 2> gang_placements{"oneCluster", "anywhere"};

/// Orders that either begin with the class or leave it out.
constexpr std::array<std::string_view, 3> queue_order{"class", "cost", "name"};
constexpr std::array<std::string_view, 3> job_order{"class", "priority", "time"};

constexpr double second_ns = 1e9;

constexpr std::array fairness = {
    key_of<&config::base>("preset",
                          "argosy; current (Armada's code, bit for bit), unified, classic, lottery "
                          "(what its documents of three periods describe). Keys that are shown "
                          "commented out follow from it.",
                          presets),
    key_of<&config::cost>("cost",
                          "What an allocation costs its queue: dominantResource (the largest part "
                          "of the pool), weightedSum, or perCpuFactor.",
                          costs),
    key_of<&config::cost_multipliers>(
        "costMultipliers",
        "Weights by resource, for example {memory: 1e-9}. weightedSum: of a core, a GPU, a byte; "
        "1.0 for cpu and nvidia.com/gpu and 0.0 for others unless named. Else 1.0 unless named. "
        "One at least must be above 0.0."),
    key_of<&config::selection>(
        "queueSelection", "Which queue is next: progressiveFilling, slicesThenLottery, or lottery.",
        selections),
    heading("slices", "Of queueSelection slicesThenLottery."),
    key_of<&config::slices>("slices.share",
                            "inverse: a lower priority factor gets more. direct: as printed in "
                            "2020, the contrary.",
                            slice_shares),
    key_of<&config::slice_batch>(
        "slices.queueLeaseBatchSize",
        "The window of gangs that a queue tries in its slice. Those that start leave it to the "
        "next ones; once it is full of those that do not fit, the slice is done.")
        .from(1),
    heading("usagePriority",
            "Queues are weighed by their past usage too: weight = 1 / (priority factor x decayed "
            "usage)."),
    key_of<&config::usage_priority>("usagePriority.enabled", ""),
    key_of<&config::usage_decay>(
        "usagePriority.form",
        "condor: usage fades with the half-time. literal: the formula as it was printed, in which "
        "the weights of old and new usage are exchanged.",
        usage_forms),
    key_of<&config::usage_half_time_ns>("usagePriority.halftime",
                                        "After which past usage counts half.")
        .as(duration)
        .from(second_ns),
    ordered<&config::class_before_cost>(
        "queueOrder", "By what queues are compared, in this order: class, cost, name.",
        queue_order),
    ordered<&config::class_in_job_order>(
        "jobOrder", "By what jobs of one queue are compared: class, priority, time.", job_order),
    key_of<&config::evicted_first>(
        "evictedFirst",
        "Evicted jobs come before queued ones of their queue; else they are sorted in."),
    key_of<&config::prefer_large_jobs>(
        "preferLargeJobs",
        "Between queues of equal rank the one with the larger head job is first."),
};

constexpr std::array preemption = {
    heading("eviction", "Running jobs that the round may place anew or not at all."),
    key_of<&config::evict_for_balance>("eviction.enabled",
                                       "Whether jobs lose their place for balance between queues."),
    key_of<&config::evict_contested_only>(
        "eviction.contestedOnly",
        "Only jobs of a class priority at which another queue has jobs queued."),
    key_of<&config::protected_fraction>(
        "eviction.protectedFractionOfFairShare",
        "Only queues above this part of their fair share give up preemptible jobs; 0.0 for all "
        "queues.")
        .of(pools_too),
    key_of<&config::protect_uncapped>("eviction.protectUncapped",
                                      "Measure against the share that is not capped by demand."),
    key_of<&config::eviction_probability>("eviction.probability",
                                          "Of each node to take part, drawn from the round's seed.")
        .to(1),
    key_of<&config::urgency>(
        "urgencyVictims",
        "Whom an urgent job may displace: urgencyPreemptible (classes of lower priority with that "
        "flag), preemptibleLower (classes of lower priority that are fairSharePreemptible), "
        "anyLower (preemptible or not), none, or preemptibleStrictlyBelow (as Armada: the job "
        "overruns a node, and those bound below it leave afterwards; needs return: all and "
        "nodeOrder: [noPreemption, bestFit]).",
        urgency_rules),
    named<&config::hard_preemption_budget>(
        "preemptionBudget",
        "hard: fairsharePreemptionBurst caps the jobs preempted. soft: it only ends the search.",
        preemption_budgets),
    named<&config::needed_victims_only>(
        "victims", "needed: victims without whom the job fits too return at once. all: none does.",
        victim_choices),
    named<&config::return_room_only>(
        "return", "What an evicted job must pass to keep its place: roomOnly, or all checks anew.",
        return_checks),
    named<&config::protect_whole_gang>(
        "gangProtection",
        "wholeGang: one member that its class protects protects the gang. member: itself.",
        gang_protections),
};

constexpr std::array nodes_and_gangs = {
    key_of<&config::node_order>(
        "nodeOrder",
        "By what nodes for a job are compared, in this order: noPreemption (always first, unless "
        "nobody can be preempted), lowestVictimClass, largestVictimShare, leastVictims, "
        "soleUserNode (only this queue runs there), emptyNode, sharedNode, bestFit. Ties go to the "
        "lower node id.",
        node_keys)
        .from(1),
    named<&config::exact_index>(
        "nodeIndex", "exact: amounts are compared exactly. rounded: as the index rounds them.",
        node_indexes),
    named<&config::soft_taints_prefer>(
        "softTaints",
        "prefer: PreferNoSchedule orders nodes of equal rank. hard: it excludes them.",
        soft_taints),
    heading("gang", "Jobs that start together."),
    named<&config::gang_in_one_cluster>(
        "gang.placement", "anywhere, or oneCluster: all members of a gang on one cluster.",
        gang_placements),
    key_of<&config::minimum_cardinality>(
        "gang.minimumCardinality",
        "Whether a gang may start with the minimum that its jobs declare."),
    key_of<&config::default_uniformity_label>(
        "gang.defaultUniformityLabel",
        "A node label whose value all members must share, for gangs that name none."),
    named<&config::isolated_trials>(
        "gangTrials", "isolated: an undone trial leaves no trace. leaking: as Armada's.",
        gang_trials),
};

constexpr std::array limits = {
    key_of<&config::max_lookback>("maxQueueLookback",
                                  "New jobs of a queue that one round looks at; 0 for all."),
    key_of<&config::rate>(
        "maximumSchedulingRate",
        "Jobs started a second over all pools, on average; 0.0 for no limit. Buckets are full when "
        "a server takes the lead, so a restart may start a burst more.")
        .as(rate),
    key_of<&config::burst>(
        "maximumSchedulingBurst",
        "And at once; a gang larger than this never starts. A rate needs it; without a rate it is "
        "what one round may start. 0 for no limit.")
        .as(burst),
    key_of<&config::queue_rate>("maximumPerQueueSchedulingRate", "The same for each queue.")
        .as(rate),
    key_of<&config::queue_burst>("maximumPerQueueSchedulingBurst", "").as(burst),
    key_of<&config::preemption_rate>(
        "fairsharePreemptionRate",
        "Jobs preempted a second for balance, on average, in each pool; 0.0 for no limit.")
        .as(rate),
    key_of<&config::preemption_burst>(
        "fairsharePreemptionBurst",
        "And at once. A rate needs it; without a rate it is what one round may preempt. 0 for no "
        "limit.")
        .as(burst),
    key_of<&config::max_new_decisions>("maxNewDecisions",
                                       "Gangs with new jobs that one round tries; 0 for all."),
    key_of<&config::max_new_decisions_queue>("maxNewDecisionsPerQueue", "The same for each queue."),
    key_of<&config::max_fraction_to_schedule>(
        "maximumResourceFractionToSchedule",
        "Part of the pool that one round may fill anew, for example {cpu: 0.5}.")
        .to(1)
        .of(pools_too),
    key_of<&config::short_job_cutoff_ns>(
        "shortJobPenaltyCutoff",
        "A job that ends sooner than this after its start counts as running until then when queues "
        "are ordered; 0s for no.")
        .as(duration),
};

constexpr std::array inventory = {
    structured("resources",
               "The resources that nodes have and jobs may request, each with the smallest step "
               "that is told apart. Any other resource is refused."),
    key_of<&config::pod_limits>("respectNodePodLimits",
                                "Whether nodes take no more jobs than the pods that they report."),
    structured("indexedResources",
               "Resources by which nodes are ordered for best fit, most important first, rounded "
               "to the resolution."),
    key_of<&config::indexed_labels>(
        "indexedNodeLabels",
        "Labels by which nodes are told apart quickly; name those that jobs select by."),
    key_of<&config::indexed_taints>("indexedTaints", "The same for taints; empty for all."),
    structured("floatingResources",
               "Resources that a pool has as a whole, such as licences: [{name: licence, total: "
               "20, pools: [default]}]; no pools for all."),
    structured("wellKnownNodeTypes",
               "Names for kinds of nodes by their taints, for awayNodeTypes: [{name: gpu, taints: "
               "[{key: gpu, value: \"true\", effect: NoSchedule}]}]."),
    structured("priorityClasses",
               "name; priority (0 or more, higher goes first); preemptible, or "
               "fairSharePreemptible and urgencyPreemptible each; maximumResourceFractionPerQueue; "
               "awayNodeTypes: [{priority, nodeType}]."),
    key_of<&config::default_class>("defaultPriorityClassName", "For jobs that name none.").from(1),
    key_of<&config::cross_pool_jobs_first>(
        "preemptCrossPoolJobsFirst",
        "Whether jobs that use nodes of an away pool leave before any job of that pool."),
    structured("pools",
               "Pools with settings of their own; others need not be named. name; awayPools (whose "
               "nodes this pool's jobs may use as well); protectedFractionOfFairShare; "
               "maximumResourceFractionToSchedule; unscheduledResources; tolerations; "
               "disableFairSharePreemption; disableUrgencyPreemption; disableAway; "
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
