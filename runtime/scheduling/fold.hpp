// SPDX-License-Identifier: Apache-2.0
// Functions that several parts of snapshot folding share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

/// Amounts above these are mistakes, in steps. A round counts up to 2^62 of a resource in a pool.
inline constexpr std::int64_t request_limit = model::request_max;
inline constexpr std::int64_t node_limit = std::int64_t{1} << 53;

/// The column of a resource; `none` for one that the configuration does not name.
[[nodiscard]] std::uint32_t dimension_of(const tables& t, std::string_view name);

/// Fails with ec::invalid_argument for an amount below 0 or above the limit.
[[nodiscard]] result<void> check_amount(std::string_view what, const std::string& name,
                                        std::int64_t amount, std::int64_t limit);

[[nodiscard]] std::uint32_t intern_profile(tables& t, label_list labels, std::vector<taint> taints);
[[nodiscard]] std::uint32_t intern_kind(tables& t, const profile_record& profile);

}  // namespace argosy::scheduling
