// SPDX-License-Identifier: Apache-2.0
// How worlds were written before keys had the names that files give them. Recorded worlds depend on
// this table, so that nothing in it may change; later keys do not belong in it.
#include <algorithm>
#include <array>
#include <span>

#include "runtime/base/whole_number.hpp"
#include "runtime/scheduling/snap1/fields.hpp"
#include "runtime/scheduling/snap1/key_text.hpp"

namespace argosy::scheduling::snap1 {

namespace {

struct renamed_key {
  std::string_view before;
  std::string_view now;
};
constexpr std::array renamed_keys = {
    renamed_key{"protectUncappedAdjustedFairShare", "eviction.protectUncapped"},
    renamed_key{"enablePreferLargeJobOrdering", "preferLargeJobs"},
    renamed_key{"disableAwayScheduling", "disableAway"},
    renamed_key{"disableGangAwayScheduling", "disableGangAway"},
    renamed_key{"disableFairshareScheduling", "disableFairSharePreemption"},
    renamed_key{"disableUrgencyScheduling", "disableUrgencyPreemption"},
    renamed_key{"usagePriority", "usagePriority.enabled"},
    renamed_key{"evictForBalance", "eviction.enabled"},
    renamed_key{"evictContestedOnly", "eviction.contestedOnly"},
    renamed_key{"minimumCardinality", "gang.minimumCardinality"},
    renamed_key{"podLimits", "respectNodePodLimits"},
    renamed_key{"crossPoolJobsFirst", "preemptCrossPoolJobsFirst"},
    renamed_key{"protectedFractionOfFairShare", "eviction.protectedFractionOfFairShare"},
    renamed_key{"evictionProbability", "eviction.probability"},
    renamed_key{"indexedLabels", "indexedNodeLabels"},
    renamed_key{"sliceBatch", "slices.queueLeaseBatchSize"},
    renamed_key{"usageHalfTime", "usagePriority.halftime"},
    renamed_key{"shortJobCutoff", "shortJobPenaltyCutoff"},
    renamed_key{"defaultUniformityLabel", "gang.defaultUniformityLabel"}};

struct flag_key {
  std::string_view before;
  std::string_view now;
  std::string_view if_true;
  std::string_view if_false;
};
constexpr std::array flag_keys = {
    flag_key{"classBeforeCost", "queueOrder", "class,cost,name", "cost,name"},
    flag_key{"classInJobOrder", "jobOrder", "class,priority,time", "priority,time"},
    flag_key{"gangInOneCluster", "gang.placement", "oneCluster", "anywhere"},
    flag_key{"exactIndex", "nodeIndex", "exact", "rounded"},
    flag_key{"isolatedTrials", "gangTrials", "isolated", "leaking"},
    flag_key{"neededVictimsOnly", "victims", "needed", "all"},
    flag_key{"protectWholeGang", "gangProtection", "wholeGang", "member"},
    flag_key{"returnRoomOnly", "return", "roomOnly", "all"},
    flag_key{"softTaintsPrefer", "softTaints", "prefer", "hard"},
    flag_key{"hardPreemptionBudget", "preemptionBudget", "hard", "soft"}};

/// A key whose choices were written by their place among `names`, with '+' between them if there
/// are several.
struct numbered_key {
  std::string_view before;
  std::string_view now;
  std::array<std::string_view, 8> names;
};
constexpr std::array numbered_keys = {
    numbered_key{"preset", "preset", {"argosy", "current", "unified", "classic", "lottery"}},
    numbered_key{"cost", "cost", {"dominantResource", "weightedSum", "perCpuFactor"}},
    numbered_key{
        "queueSelection", "queueSelection", {"progressiveFilling", "slicesThenLottery", "lottery"}},
    numbered_key{"sliceShare", "slices.share", {"inverse", "direct"}},
    numbered_key{"usageForm", "usagePriority.form", {"condor", "literal"}},
    numbered_key{
        "urgencyVictims",
        "urgencyVictims",
        {"urgencyPreemptible", "preemptibleStrictlyBelow", "preemptibleLower", "anyLower", "none"}},
    numbered_key{"nodeOrder",
                 "nodeOrder",
                 {"noPreemption", "lowestVictimClass", "largestVictimShare", "leastVictims",
                  "soleUserNode", "emptyNode", "sharedNode", "bestFit"}}};

template <class Rows>
const auto* find_row(const Rows& rows, std::string_view name) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.before == name; });
  return at == rows.end() ? nullptr : &*at;
}

/// The name in the place that the text gives, or the text as it is.
std::string_view name_at(std::string_view text, std::span<const std::string_view> names) {
  const auto at = whole_number<std::size_t>(text);
  return at && *at < names.size() && !names[*at].empty() ? names[*at] : text;
}

}  // namespace

std::pair<std::string, std::string> current_form(std::string_view name, std::string_view text) {
  if (const auto* row = find_row(renamed_keys, name))
    return {std::string(row->now), std::string(text)};
  if (const auto* row = find_row(flag_keys, name)) {
    const auto now = text == "true" ? row->if_true : text == "false" ? row->if_false : text;
    return {std::string(row->now), std::string(now)};
  }
  if (const auto* row = find_row(numbered_keys, name)) {
    std::string now;
    for (const auto part : split(text, '+'))
      now.append(now.empty() ? "" : ",").append(name_at(part, row->names));
    return {std::string(row->now), now};
  }
  return {std::string(name), std::string(text)};
}

}  // namespace argosy::scheduling::snap1
