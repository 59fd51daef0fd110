// SPDX-License-Identifier: Apache-2.0
// The arithmetic of amounts of resources. A sum is a list that is sorted by name and has one entry
// for each resource; other lists may be in any order.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/model/job.hpp"

namespace argosy::model {

/// The first amount of the resource in the list; 0 when the list does not have it.
[[nodiscard]] std::int64_t amount_of(const resource_list& list, std::string_view resource) noexcept;

/// Adds the amounts to a sum. What would be too large for a number becomes the largest one.
void add(resource_list& sum, const resource_list& amounts);

/// Takes amounts off a sum to which they were added before. Resources of which nothing is left
/// leave the sum.
void subtract(resource_list& sum, const resource_list& amounts);

}  // namespace argosy::model
