// SPDX-License-Identifier: Apache-2.0
// Goal: a preset that a file names is the round's own; every key arrives, and what rounds cannot do
// is refused, not ignored. Method: comparison with the round's own presets, and single keys.
#include "runtime/settings/scheduling_config.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "runtime/scheduling/keys.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

scheduling::config must_convert(std::string_view yaml, std::string_view pool = "default") {
  const auto loaded = load_scheduling(yaml, "s.yaml");
  if (!loaded) throw std::runtime_error(loaded.error().detail);
  auto conf = to_config(*loaded, pool);
  if (!conf) throw std::runtime_error(conf.error().detail);
  return std::move(*conf);
}

std::string refusal(std::string_view yaml) {
  const auto loaded = load_scheduling(yaml, "s.yaml");
  if (!loaded) return "not loaded: " + loaded.error().detail;
  const auto conf = to_config(*loaded, "default");
  return conf ? "accepted" : conf.error().detail;
}

class presets : public ::testing::TestWithParam<scheduling::preset> {};

TEST_P(presets, are_the_rounds_own) {
  const auto a = must_convert("preset: " + std::string{to_string(GetParam())} + "\n");
  const auto b = scheduling::default_config(GetParam());
  for (const auto& key : scheduling::all_keys()) {
    if (!key.has_value()) continue;
    EXPECT_EQ(key.get(a), key.get(b)) << key.path;
  }
  ASSERT_EQ(a.resources.size(), b.resources.size());
  for (std::size_t i = 0; i < a.resources.size(); ++i) {
    EXPECT_EQ(a.resources[i].name, b.resources[i].name);
    EXPECT_EQ(a.resources[i].milli_per_step, b.resources[i].milli_per_step);
  }
  ASSERT_EQ(a.indexed_resources.size(), b.indexed_resources.size());
  for (std::size_t i = 0; i < a.indexed_resources.size(); ++i) {
    EXPECT_EQ(a.indexed_resources[i].name, b.indexed_resources[i].name);
    EXPECT_EQ(a.indexed_resources[i].resolution, b.indexed_resources[i].resolution);
  }
  ASSERT_EQ(a.classes.size(), b.classes.size());
  for (std::size_t i = 0; i < a.classes.size(); ++i) {
    EXPECT_EQ(a.classes[i].name, b.classes[i].name);
    EXPECT_EQ(a.classes[i].priority, b.classes[i].priority);
    EXPECT_EQ(a.classes[i].fair_share_preemptible, b.classes[i].fair_share_preemptible);
    EXPECT_EQ(a.classes[i].urgency_preemptible, b.classes[i].urgency_preemptible);
  }
}

INSTANTIATE_TEST_SUITE_P(all, presets,
                         ::testing::Values(scheduling::preset::argosy, scheduling::preset::current,
                                           scheduling::preset::unified, scheduling::preset::classic,
                                           scheduling::preset::lottery),
                         [](const auto& param) { return std::string{to_string(param.param)}; });

TEST(scheduling_config, carries_single_keys_over) {
  const auto conf = must_convert(
      "preferLargeJobs: true\nmaxQueueLookback: 7\nmaximumSchedulingBurst: 9\n"
      "maxNewDecisions: 3\nmaxNewDecisionsPerQueue: 2\nindexedNodeLabels: [zone]\n"
      "eviction: {protectedFractionOfFairShare: 0.5, probability: 0.25, protectUncapped: true}\n"
      "gang: {placement: oneCluster, defaultUniformityLabel: rack}\n"
      "queueOrder: [cost, name]\nmaximumResourceFractionToSchedule: {cpu: 0.5}\n"
      "floatingResources: [{name: licence, total: 20, pools: [default]}]\n"
      "priorityClasses:\n- {name: armada-default, priority: 5, urgencyPreemptible: true}\n");
  EXPECT_TRUE(conf.prefer_large_jobs);
  EXPECT_EQ(conf.max_lookback, 7U);
  EXPECT_EQ(conf.burst, 9);
  EXPECT_TRUE(std::isinf(conf.rate));
  EXPECT_EQ(conf.max_new_decisions, 3U);
  EXPECT_EQ(conf.max_new_decisions_queue, 2U);
  EXPECT_THAT(conf.indexed_labels, ::testing::ElementsAre("zone"));
  EXPECT_EQ(conf.protected_fraction, 0.5);
  EXPECT_EQ(conf.eviction_probability, 0.25);
  EXPECT_TRUE(conf.protect_uncapped);
  EXPECT_TRUE(conf.gang_in_one_cluster);
  EXPECT_EQ(conf.default_uniformity_label, "rack");
  EXPECT_FALSE(conf.class_before_cost);
  EXPECT_EQ(conf.max_fraction_to_schedule.at(0).second, 0.5);
  EXPECT_EQ(conf.floating.at(0).total, 20);
  EXPECT_FALSE(conf.classes.at(0).fair_share_preemptible);
  EXPECT_TRUE(conf.classes.at(0).urgency_preemptible);
}

TEST(scheduling_config, reads_what_spares_gangs_and_young_runs) {
  const auto conf = must_convert(
      "eviction: {gangLossFactor: 2.5}\n"
      "priorityClasses:\n- {name: armada-default, priority: 5, minRunTime: 10m}\n");
  EXPECT_EQ(conf.gang_loss_factor, 2.5);
  EXPECT_EQ(conf.classes.at(0).min_run_time_ns, 600'000'000'000);
  EXPECT_THAT(refusal("priorityClasses:\n- {name: armada-default, priority: 5, minRunTime: 31d}\n"),
              ::testing::HasSubstr("minRunTime"));
  EXPECT_THAT(refusal("eviction: {gangLossFactor: -1}\n"), ::testing::HasSubstr("gangLossFactor"));
}

TEST(scheduling_config, applies_what_a_pool_says_to_that_pool_alone) {
  constexpr std::string_view text =
      "pools:\n- name: gpu\n  protectedFractionOfFairShare: 0.25\n  disableAway: true\n"
      "  unscheduledResources: [nvidia.com/gpu]\n  tolerations: [{key: gpu, operator: Exists}]\n";
  const auto gpu = must_convert(text, "gpu");
  EXPECT_EQ(gpu.protected_fraction, 0.25);
  EXPECT_TRUE(gpu.disable_away);
  EXPECT_THAT(gpu.unscheduled_resources, ::testing::ElementsAre("nvidia.com/gpu"));
  EXPECT_TRUE(gpu.default_tolerations.at(0).exists);
  const auto other = must_convert(text, "default");
  EXPECT_EQ(other.protected_fraction, 1.0);
  EXPECT_FALSE(other.disable_away);
}

TEST(scheduling_config, switches_each_form_of_preemption_off_in_one_pool) {
  const std::string yaml =
      "pools:\n- name: calm\n  disableFairSharePreemption: true\n"
      "- name: even\n  disableUrgencyPreemption: true\n- name: plain\n";
  for (const std::string pool : {"calm", "even", "plain"}) {
    const auto conf = must_convert(yaml, pool);
    EXPECT_EQ(conf.disable_fair_share_preemption, pool == "calm") << pool;
    EXPECT_EQ(conf.disable_urgency_preemption, pool == "even") << pool;
  }
}

TEST(scheduling_config, carries_the_keys_of_every_preset_over_singly) {
  const auto conf = must_convert(
      "nodeOrder: [noPreemption, leastVictims, emptyNode, bestFit]\nurgencyVictims: anyLower\n"
      "gang: {minimumCardinality: false}\nslices: {queueLeaseBatchSize: 3}\n"
      "usagePriority: {enabled: true, form: literal, halftime: 5m}\nshortJobPenaltyCutoff: 2m\n"
      "maximumSchedulingRate: 2.5\nmaximumSchedulingBurst: 10\n"
      "maximumPerQueueSchedulingRate: 0.5\nmaximumPerQueueSchedulingBurst: 4\n"
      "fairsharePreemptionRate: 0.25\nfairsharePreemptionBurst: 2\n");
  using scheduling::node_key;
  EXPECT_THAT(conf.node_order,
              ::testing::ElementsAre(node_key::no_preemption, node_key::least_victims,
                                     node_key::empty_node, node_key::best_fit));
  EXPECT_EQ(conf.urgency, scheduling::urgency_rule::any_lower);
  for (const auto& entry : conf.classes) EXPECT_TRUE(entry.urgency_preemptible) << entry.name;
  EXPECT_FALSE(conf.minimum_cardinality);
  EXPECT_EQ(conf.slice_batch, 3U);
  EXPECT_EQ(conf.usage_decay, scheduling::usage_form::literal);
  EXPECT_EQ(conf.usage_half_time_ns, 300'000'000'000);
  EXPECT_EQ(conf.short_job_cutoff_ns, 120'000'000'000);
  EXPECT_EQ(conf.rate, 2.5);
  EXPECT_EQ(conf.burst, 10);
  EXPECT_EQ(conf.queue_rate, 0.5);
  EXPECT_EQ(conf.queue_burst, 4);
  EXPECT_EQ(conf.preemption_rate, 0.25);
  EXPECT_EQ(conf.preemption_burst, 2);
}

TEST(scheduling_config, a_pool_may_have_a_cap_of_its_own_on_what_a_round_fills) {
  constexpr std::string_view text =
      "maximumResourceFractionToSchedule: {cpu: 0.5, memory: 0.5}\n"
      "pools:\n- name: gpu\n  maximumResourceFractionToSchedule: {cpu: 0.125}\n- name: free\n"
      "  maximumResourceFractionToSchedule: {}\n- name: plain\n";
  using list = scheduling::fraction_list;
  EXPECT_EQ(must_convert(text, "gpu").max_fraction_to_schedule, (list{{"cpu", 0.125}}));
  EXPECT_EQ(must_convert(text, "free").max_fraction_to_schedule, list{});
  EXPECT_EQ(must_convert(text, "plain").max_fraction_to_schedule,
            (list{{"cpu", 0.5}, {"memory", 0.5}}));
}

TEST(scheduling_config, refuses_what_cannot_be_combined) {
  EXPECT_EQ(refusal("nodeOrder: [bestFit]\n"),
            "scheduling.nodeOrder: noPreemption must come first; it may only be left out with "
            "eviction.enabled false and urgencyVictims none");
  EXPECT_EQ(refusal("nodeOrder: [bestFit, noPreemption]\n"),
            "scheduling.nodeOrder: noPreemption must come first, or a job would push out others "
            "while a free node is left");
  EXPECT_EQ(refusal("nodeOrder: [noPreemption, bestFit, bestFit]\n"),
            "not loaded: s.yaml:1:12: nodeOrder: names 'bestFit' twice");
  EXPECT_EQ(refusal("urgencyVictims: preemptibleStrictlyBelow\n"),
            "scheduling.urgencyVictims: preemptibleStrictlyBelow finds its victims among those "
            "that cannot return, so it needs return: all");
  EXPECT_EQ(refusal("preset: current\nnodeOrder: [noPreemption, leastVictims]\n"),
            "scheduling.urgencyVictims: preemptibleStrictlyBelow does not know its victims when "
            "it takes a node, so it needs nodeOrder: [noPreemption, bestFit]");
  EXPECT_EQ(refusal("maximumSchedulingRate: 5.0\n"),
            "scheduling.maximumSchedulingRate needs maximumSchedulingBurst: how many at once");
  EXPECT_EQ(refusal("maximumPerQueueSchedulingRate: 5.0\n"),
            "scheduling.maximumPerQueueSchedulingRate needs maximumPerQueueSchedulingBurst: how "
            "many at once");
  EXPECT_EQ(refusal("fairsharePreemptionRate: 5.0\n"),
            "scheduling.fairsharePreemptionRate needs fairsharePreemptionBurst: how many at once");
  EXPECT_EQ(refusal("maximumResourceSchedulingRate: {cpu: 2.0}\n"),
            "scheduling.maximumResourceSchedulingRate: 'cpu' needs an entry in "
            "maximumResourceSchedulingBurst: how much at once");
  EXPECT_EQ(refusal("maximumPerQueueResourceSchedulingBurst: {cpu: 0.0}\n"),
            "scheduling.maximumPerQueueResourceSchedulingBurst: 'cpu' must be above 0, or no job "
            "that requests it starts");
  EXPECT_EQ(refusal("queueOrder: [name]\n"),
            "not loaded: s.yaml:1:13: queueOrder: must be [class, cost, name] or [cost, name]");
  EXPECT_EQ(refusal("jobOrder: [priority, class, time]\n"),
            "not loaded: s.yaml:1:11: jobOrder: must be [class, priority, time] or [priority, "
            "time]");
  EXPECT_EQ(refusal("resources: [{name: cpu, resolution: \"0\"}]\nindexedResources: []\n"),
            "scheduling.resources: the resolution of 'cpu' must be above 0");
  EXPECT_EQ(refusal("indexedResources: [{name: memory, resolution: 1500m}]\n"),
            "scheduling.indexedResources: the resolution of 'memory' must be a multiple of that in "
            "resources");
}

TEST(scheduling_config, weighs_cpu_and_gpus_unless_told_otherwise) {
  const auto conf = must_convert("cost: weightedSum\ncostMultipliers: {memory: 0.5}\n");
  EXPECT_EQ(scheduling::weight_of(conf, "cpu"), 1.0);
  EXPECT_EQ(scheduling::weight_of(conf, "nvidia.com/gpu"), 1.0);
  EXPECT_EQ(scheduling::weight_of(conf, "memory"), 0.5);
  EXPECT_EQ(scheduling::weight_of(conf, "ephemeral-storage"), 0.0);
  EXPECT_EQ(refusal("cost: weightedSum\ncostMultipliers: {}\n"), "accepted");
  EXPECT_EQ(refusal("cost: weightedSum\ncostMultipliers: {cpu: 0.0, nvidia.com/gpu: 0.0}\n"),
            "scheduling.costMultipliers gives no resource a weight above 0, so that nothing would "
            "cost anything; give one to cpu, or leave out the key");
}

TEST(scheduling_config, takes_a_default_label_that_is_not_indexed) {
  for (const std::string name : {"argosy", "unified", "classic", "lottery"}) {
    const auto conf = must_convert("preset: " + name + "\ngang: {defaultUniformityLabel: rack}\n");
    EXPECT_EQ(conf.default_uniformity_label, "rack");
  }
  const std::string under_current = "preset: current\ngang: {defaultUniformityLabel: rack}\n";
  EXPECT_EQ(refusal(under_current),
            "scheduling.gang.defaultUniformityLabel is 'rack', which preset current finds on no "
            "node unless scheduling.indexedNodeLabels names it");
  EXPECT_EQ(refusal(under_current + "indexedNodeLabels: [rack]\n"), "accepted");
}

TEST(scheduling_config, refuses_priorities_below_0_with_their_place) {
  EXPECT_EQ(refusal("priorityClasses:\n- {name: armada-default, priority: -5}\n"),
            "not loaded: s.yaml:2:36: priority: must be at least 0");
  EXPECT_EQ(refusal("priorityClasses:\n- name: armada-default\n  awayNodeTypes:\n"
                    "  - {priority: -2, nodeType: far}\n"),
            "not loaded: s.yaml:4:16: priority: must be at least 0");
}

TEST(scheduling_config, refuses_more_than_a_round_can_hold) {
  std::string names;
  for (int i = 0; i < 17; ++i)
    names += std::string(i == 0 ? "" : ", ") + "{name: r" + std::to_string(i) + "}";
  EXPECT_EQ(refusal("resources: [" + names + "]\nindexedResources: [" + names + "]\n"),
            "scheduling.indexedResources names 17 resources; at most 16 can be indexed, so leave "
            "out those that jobs seldom ask for");
  std::string away;
  for (int i = 0; i < 33; ++i) away += "  - {priority: 5, nodeType: far}\n";
  EXPECT_EQ(refusal("wellKnownNodeTypes: [{name: far, taints: []}]\npriorityClasses:\n"
                    "- name: armada-default\n  awayNodeTypes:\n" +
                    away),
            "scheduling.priorityClasses: 'armada-default' has 33 awayNodeTypes; a class may have "
            "at most 32");
}

}  // namespace
}  // namespace argosy::settings
