// SPDX-License-Identifier: Apache-2.0
// Goal: worlds that were recorded before keys had the names of files read the same for ever.
// Method: each line of the earlier form is read over a configuration in which the key has another
// value, and looked for in what is written today.
#include "runtime/scheduling/keys.hpp"
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

struct pair_of_lines {
  std::string before;
  std::string now;
  std::string other;  ///< The key with another value.
};

const std::vector<pair_of_lines> recorded = {
    {"protectUncappedAdjustedFairShare true", "eviction.protectUncapped true", ""},
    {"enablePreferLargeJobOrdering true", "preferLargeJobs true", ""},
    {"disableAwayScheduling true", "disableAway true", ""},
    {"disableGangAwayScheduling true", "disableGangAway true", ""},
    {"disableFairshareScheduling true", "disableFairSharePreemption true", ""},
    {"disableUrgencyScheduling true", "disableUrgencyPreemption true", ""},
    {"usagePriority true", "usagePriority.enabled true", ""},
    {"classBeforeCost false", "queueOrder cost,name", ""},
    {"classBeforeCost true", "queueOrder class,cost,name", "queueOrder cost,name"},
    {"evictedFirst false", "evictedFirst false", ""},
    {"classInJobOrder false", "jobOrder priority,time", ""},
    {"classInJobOrder true", "jobOrder class,priority,time", "jobOrder priority,time"},
    {"evictForBalance false", "eviction.enabled false", ""},
    {"evictContestedOnly true", "eviction.contestedOnly true", ""},
    {"gangInOneCluster true", "gang.placement oneCluster", ""},
    {"gangInOneCluster false", "gang.placement anywhere", "gang.placement oneCluster"},
    {"minimumCardinality false", "gang.minimumCardinality false", ""},
    {"exactIndex false", "nodeIndex rounded", ""},
    {"exactIndex true", "nodeIndex exact", "nodeIndex rounded"},
    {"isolatedTrials false", "gangTrials leaking", ""},
    {"isolatedTrials true", "gangTrials isolated", "gangTrials leaking"},
    {"neededVictimsOnly false", "victims all", ""},
    {"neededVictimsOnly true", "victims needed", "victims all"},
    {"protectWholeGang false", "gangProtection member", ""},
    {"protectWholeGang true", "gangProtection wholeGang", "gangProtection member"},
    {"returnRoomOnly false", "return all", ""},
    {"returnRoomOnly true", "return roomOnly", "return all"},
    {"softTaintsPrefer false", "softTaints hard", ""},
    {"softTaintsPrefer true", "softTaints prefer", "softTaints hard"},
    {"hardPreemptionBudget false", "preemptionBudget soft", ""},
    {"hardPreemptionBudget true", "preemptionBudget hard", "preemptionBudget soft"},
    {"podLimits true", "respectNodePodLimits true", ""},
    {"crossPoolJobsFirst false", "preemptCrossPoolJobsFirst false", ""},
    {"protectedFractionOfFairShare 9", "eviction.protectedFractionOfFairShare 9", ""},
    {"evictionProbability 0.25", "eviction.probability 0.25", ""},
    {"maximumSchedulingBurst 17", "maximumSchedulingBurst 17", ""},
    {"maximumSchedulingRate 2.5", "maximumSchedulingRate 2.5", ""},
    {"maximumSchedulingBurst inf", "maximumSchedulingBurst inf", "maximumSchedulingBurst 3"},
    {"maxQueueLookback 5", "maxQueueLookback 5", ""},
    {"indexedLabels a,b", "indexedNodeLabels a,b", ""},
    {"indexedTaints -", "indexedTaints -", "indexedTaints a"},
    {"awayPools x,y", "awayPools x,y", ""},
    {"guestPools x", "guestPools x", ""},
    {"unscheduledResources cpu", "unscheduledResources cpu", ""},
    {"costMultipliers cpu=7", "costMultipliers cpu=7", ""},
    {"maximumResourceFractionToSchedule cpu=0.5", "maximumResourceFractionToSchedule cpu=0.5", ""},
    {"sliceBatch 23", "slices.queueLeaseBatchSize 23", ""},
    {"usageHalfTime 29", "usagePriority.halftime 29", ""},
    {"shortJobCutoff 31", "shortJobPenaltyCutoff 31", ""},
    {"defaultUniformityLabel rack", "gang.defaultUniformityLabel rack", ""},
    {"preset 0", "preset argosy", "preset lottery"},
    {"preset 1", "preset current", ""},
    {"preset 2", "preset unified", ""},
    {"preset 3", "preset classic", ""},
    {"preset 4", "preset lottery", ""},
    {"cost 0", "cost dominantResource", "cost weightedSum"},
    {"cost 1", "cost weightedSum", ""},
    {"cost 2", "cost perCpuFactor", ""},
    {"queueSelection 0", "queueSelection progressiveFilling", "queueSelection lottery"},
    {"queueSelection 1", "queueSelection slicesThenLottery", ""},
    {"queueSelection 2", "queueSelection lottery", ""},
    {"sliceShare 0", "slices.share inverse", "slices.share direct"},
    {"sliceShare 1", "slices.share direct", ""},
    {"usageForm 0", "usagePriority.form condor", "usagePriority.form literal"},
    {"usageForm 1", "usagePriority.form literal", ""},
    {"urgencyVictims 0", "urgencyVictims urgencyPreemptible", "urgencyVictims none"},
    {"urgencyVictims 2", "urgencyVictims preemptibleLower", ""},
    {"urgencyVictims 3", "urgencyVictims anyLower", ""},
    {"urgencyVictims 4", "urgencyVictims none", ""},
    {"nodeOrder 0+1+2+3",
     "nodeOrder noPreemption,lowestVictimClass,largestVictimShare,leastVictims", ""},
    {"nodeOrder 0+4+5+6+7", "nodeOrder noPreemption,soleUserNode,emptyNode,sharedNode,bestFit", ""},
};

std::string written(const std::string& settings) {
  const auto world = read_snap1(settings, bench_config(preset::argosy));
  EXPECT_TRUE(world) << settings << world.error().detail;
  return world ? write_snap1(world->jobs_and_nodes, world->conf, world->params) : "";
}

std::string line_of(const std::string& text) {
  return text.empty() ? "" : "C " + text + "\n";
}

TEST(snap1_earlier_form, reads_as_it_was_meant) {
  // This sets a burst, without which no rate is valid.
  const std::string base = "C maximumSchedulingBurst 4\n";
  for (const auto& row : recorded) {
    const auto before = base + line_of(row.other);
    EXPECT_EQ(written(before).find(line_of(row.now)), std::string::npos) << row.now;
    const auto text = written(before + line_of(row.before));
    EXPECT_NE(("\n" + text).find("\n" + line_of(row.now)), std::string::npos) << row.before << "\n"
                                                                              << text;
    EXPECT_EQ(written(before + line_of(row.now)), text) << row.before;
  }
}

TEST(snap1_earlier_form, of_urgency_under_preset_current_reads_as_it_was_meant) {
  const auto conf = bench_config(preset::current);
  const auto world = read_snap1("C urgencyVictims 1\nC nodeOrder 0+7\n", conf);
  ASSERT_TRUE(world) << world.error().detail;
  EXPECT_EQ(world->conf.urgency, urgency_rule::preemptible_strictly_below);
  EXPECT_EQ(world->conf.node_order, conf.node_order);
}

}  // namespace
}  // namespace argosy::scheduling
