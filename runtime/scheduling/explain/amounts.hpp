// SPDX-License-Identifier: Apache-2.0
// Turns amounts, which a round counts in steps of their resource, into text for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/model/quantity.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

class snapshot;

/// An amount in steps of the resource as cores, bytes or pieces.
[[nodiscard]] double amount_in_units(std::int64_t steps, std::string_view resource,
                                     const config& conf);

/// The text of an amount of 0 or more, in steps of the resource: "1.5 cores", "23.54 GiB", "4".
[[nodiscard]] std::string amount_text(std::int64_t steps, std::string_view resource,
                                      const config& conf, model::rounding to);

/// The text of an amount with its resource: "1.5 cores", "23.54 GiB of memory", "4 nvidia.com/gpu".
[[nodiscard]] std::string amount_of(std::int64_t steps, std::string_view resource,
                                    const config& conf, model::rounding to);

/// All that a job of the shape asks for, for example "2 cores, 4 GiB of memory and 1
/// nvidia.com/gpu"; "nothing" for a shape without requests.
[[nodiscard]] std::string requests_text(const snapshot& from, const config& conf, shape_id shape);

}  // namespace argosy::scheduling
