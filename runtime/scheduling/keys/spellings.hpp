// SPDX-License-Identifier: Apache-2.0
// This file defines how files spell the values of keys that are a choice. It is private to the
// table of keys.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "runtime/scheduling/config.hpp"

namespace argosy::scheduling::keys {

/// How the values of an enumeration are spelt, in its order up to the last.
template <auto Last, class... Names>
constexpr auto spelt(Names... names) {
  static_assert(sizeof...(Names) == static_cast<std::size_t>(Last) + 1);
  return std::array<std::string_view, sizeof...(Names)>{names...};
}
inline constexpr auto presets =
    spelt<preset::lottery>("argosy", "current", "unified", "classic", "lottery");
inline constexpr auto costs =
    spelt<cost_kind::per_cpu_factor>("dominantResource", "weightedSum", "perCpuFactor");
inline constexpr auto selections =
    spelt<queue_selection::lottery>("progressiveFilling", "slicesThenLottery", "lottery");
inline constexpr auto slice_shares = spelt<slice_share::direct>("inverse", "direct");
inline constexpr auto usage_forms = spelt<usage_form::literal>("condor", "literal");
inline constexpr auto urgency_rules = spelt<urgency_rule::never>(
    "urgencyPreemptible", "preemptibleStrictlyBelow", "preemptibleLower", "anyLower", "none");

/// The names of flags that files show as a choice: the first name means set, the second not set.
inline constexpr std::array<std::string_view, 2> node_indexes{"exact", "rounded"};
inline constexpr std::array<std::string_view, 2> head_checks{"now", "off"};
inline constexpr std::array<std::string_view, 2> gang_trials{"isolated", "leaking"};
inline constexpr std::array<std::string_view, 2> victim_choices{"needed", "all"};
inline constexpr std::array<std::string_view, 2> gang_protections{"wholeGang", "member"};
inline constexpr std::array<std::string_view, 2> return_checks{"roomOnly", "all"};
inline constexpr std::array<std::string_view, 2> soft_taints{"prefer", "hard"};
inline constexpr std::array<std::string_view, 2> preemption_budgets{"hard", "soft"};
inline constexpr std::array<std::string_view, 2> gang_placements{"oneCluster", "anywhere"};

/// Orders that either begin with the class or leave it out.
inline constexpr std::array<std::string_view, 3> queue_order{"class", "cost", "name"};
inline constexpr std::array<std::string_view, 3> job_order{"class", "priority", "time"};

}  // namespace argosy::scheduling::keys
