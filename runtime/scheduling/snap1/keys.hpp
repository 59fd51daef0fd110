// SPDX-License-Identifier: Apache-2.0
// The C keys of SNAP1 that are plain members of the configuration, for reading and for writing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/scheduling/config.hpp"

namespace argosy::scheduling::snap1 {

struct flag_key {
  std::string_view name;
  bool config::*member;
};
inline constexpr std::array flag_keys = {
    flag_key{"protectUncappedAdjustedFairShare", &config::protect_uncapped},
    flag_key{"enablePreferLargeJobOrdering", &config::prefer_large_jobs},
    flag_key{"disableAwayScheduling", &config::disable_away},
    flag_key{"disableGangAwayScheduling", &config::disable_gang_away},
    flag_key{"disableFairshareScheduling", &config::disable_fair_share_preemption},
    flag_key{"disableUrgencyScheduling", &config::disable_urgency_preemption},
    flag_key{"usagePriority", &config::usage_priority},
    flag_key{"classBeforeCost", &config::class_before_cost},
    flag_key{"evictedFirst", &config::evicted_first},
    flag_key{"classInJobOrder", &config::class_in_job_order},
    flag_key{"evictForBalance", &config::evict_for_balance},
    flag_key{"evictContestedOnly", &config::evict_contested_only},
    flag_key{"gangInOneCluster", &config::gang_in_one_cluster},
    flag_key{"minimumCardinality", &config::minimum_cardinality},
    flag_key{"exactIndex", &config::exact_index},
    flag_key{"isolatedTrials", &config::isolated_trials},
    flag_key{"neededVictimsOnly", &config::needed_victims_only},
    flag_key{"protectWholeGang", &config::protect_whole_gang},
    flag_key{"returnRoomOnly", &config::return_room_only},
    flag_key{"softTaintsPrefer", &config::soft_taints_prefer},
    flag_key{"hardPreemptionBudget", &config::hard_preemption_budget},
    flag_key{"podLimits", &config::pod_limits},
    flag_key{"crossPoolJobsFirst", &config::cross_pool_jobs_first}};

struct number_key {
  std::string_view name;
  double config::*member;
};
inline constexpr std::array number_keys = {
    number_key{"protectedFractionOfFairShare", &config::protected_fraction},
    number_key{"evictionProbability", &config::eviction_probability},
    number_key{"maximumSchedulingBurst", &config::burst},
    number_key{"maximumPerQueueSchedulingBurst", &config::queue_burst},
    number_key{"fairsharePreemptionBurst", &config::preemption_burst},
    number_key{"maximumSchedulingRate", &config::rate},
    number_key{"maximumPerQueueSchedulingRate", &config::queue_rate},
    number_key{"fairsharePreemptionRate", &config::preemption_rate}};

struct count_key {
  std::string_view name;
  std::uint64_t config::*member;
};
inline constexpr std::array count_keys = {
    count_key{"maxQueueLookback", &config::max_lookback},
    count_key{"maxNewDecisions", &config::max_new_decisions},
    count_key{"maxNewDecisionsPerQueue", &config::max_new_decisions_queue}};

struct names_key {
  std::string_view name;
  std::vector<std::string> config::*member;
};
inline constexpr std::array names_keys = {
    names_key{"indexedLabels", &config::indexed_labels},
    names_key{"indexedTaints", &config::indexed_taints},
    names_key{"unscheduledResources", &config::unscheduled_resources},
    names_key{"awayPools", &config::away_pools}, names_key{"guestPools", &config::guest_pools}};

/// Choices by their number, as they stand in config.hpp.
struct choice {
  std::string_view name;
  int (*get)(const config&);
  void (*set)(config&, int);
  int count;
};
template <auto Member, class Enum>
constexpr choice choice_of(std::string_view name, Enum last) {
  return {name, [](const config& conf) { return static_cast<int>(conf.*Member); },
          [](config& conf, int value) { conf.*Member = static_cast<Enum>(value); },
          static_cast<int>(last) + 1};
}
inline constexpr std::array choices = {
    choice_of<&config::base>("preset", preset::lottery),
    choice_of<&config::cost>("cost", cost_kind::per_cpu_factor),
    choice_of<&config::selection>("queueSelection", queue_selection::lottery),
    choice_of<&config::slices>("sliceShare", slice_share::direct),
    choice_of<&config::usage_decay>("usageForm", usage_form::literal),
    choice_of<&config::urgency>("urgencyVictims", urgency_rule::never)};

}  // namespace argosy::scheduling::snap1
