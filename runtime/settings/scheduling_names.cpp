// SPDX-License-Identifier: Apache-2.0
// How the choices of the `scheduling:` section are spelt.
#include <array>

#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::settings {

namespace {

using names2 = std::array<std::string_view, 2>;
using names3 = std::array<std::string_view, 3>;

constexpr std::array<std::string_view, 5> preset_names{"argosy", "current", "unified", "classic",
                                                       "lottery"};
constexpr names3 cost_names{"dominantResource", "weightedSum", "perCpuFactor"};
constexpr names3 selection_names{"progressiveFilling", "slicesThenLottery", "lottery"};
constexpr names2 share_names{"inverse", "direct"};
constexpr names2 form_names{"condor", "literal"};
constexpr std::array<std::string_view, 8> node_order_names{
    "noPreemption", "lowestVictimClass", "largestVictimShare", "leastVictims",
    "soleUserNode", "emptyNode",         "sharedNode",         "bestFit"};
constexpr names3 queue_order_names{"class", "cost", "name"};
constexpr names3 job_order_names{"class", "priority", "time"};
constexpr std::array<std::string_view, 5> urgency_names{
    "urgencyPreemptible", "preemptibleStrictlyBelow", "preemptibleLower", "anyLower", "none"};
constexpr names2 placement_names{"anywhere", "oneCluster"};
constexpr names2 index_names{"exact", "rounded"};
constexpr names2 trial_names{"isolated", "leaking"};
constexpr names2 victim_names{"needed", "all"};
constexpr names2 protection_names{"wholeGang", "member"};
constexpr names2 return_names{"roomOnly", "all"};
constexpr names2 taint_names{"prefer", "hard"};
constexpr names2 budget_names{"hard", "soft"};

}  // namespace

std::span<const std::string_view> enum_names(preset) {
  return preset_names;
}
std::span<const std::string_view> enum_names(cost_kind) {
  return cost_names;
}
std::span<const std::string_view> enum_names(queue_selection) {
  return selection_names;
}
std::span<const std::string_view> enum_names(slice_share) {
  return share_names;
}
std::span<const std::string_view> enum_names(usage_form) {
  return form_names;
}
std::span<const std::string_view> enum_names(node_order_key) {
  return node_order_names;
}
std::span<const std::string_view> enum_names(queue_order_key) {
  return queue_order_names;
}
std::span<const std::string_view> enum_names(job_order_key) {
  return job_order_names;
}
std::span<const std::string_view> enum_names(urgency_victims) {
  return urgency_names;
}
std::span<const std::string_view> enum_names(gang_placement) {
  return placement_names;
}
std::span<const std::string_view> enum_names(node_index) {
  return index_names;
}
std::span<const std::string_view> enum_names(gang_trials) {
  return trial_names;
}
std::span<const std::string_view> enum_names(victim_choice) {
  return victim_names;
}
std::span<const std::string_view> enum_names(gang_protection) {
  return protection_names;
}
std::span<const std::string_view> enum_names(return_checks) {
  return return_names;
}
std::span<const std::string_view> enum_names(soft_taints) {
  return taint_names;
}
std::span<const std::string_view> enum_names(preemption_budget) {
  return budget_names;
}

}  // namespace argosy::settings
