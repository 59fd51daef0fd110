// SPDX-License-Identifier: Apache-2.0
// The names of the lease policies, as configurations and annotations write them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "runtime/model/job.hpp"

namespace argosy::model {

/// The names in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> lease_policy_names{
    "requeueAfterLease", "requeueAfterConfirmation", "fail"};
static_assert(lease_policy_names.size() == static_cast<std::size_t>(lease_policy::fail) + 1);

[[nodiscard]] constexpr std::span<const std::string_view> enum_names(lease_policy) noexcept {
  return lease_policy_names;
}

}  // namespace argosy::model
