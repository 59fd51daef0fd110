// SPDX-License-Identifier: Apache-2.0
// What happens in the log that version 0.1 has written: events of every kind that it knows, with
// all their fields, in an order in which they can happen. It never changes: what a later version
// adds stands in a story of its own.
#pragma once

#include <vector>

#include "tests/integration/formats/values_0_1.hpp"

namespace argosy::testing {

/// The claim that begins the log.
[[nodiscard]] model::leader_elected claim_0_1();
/// The events behind it, each list a record of the log. Between the last two, the log rolls over.
[[nodiscard]] std::vector<std::vector<model::event>> story_0_1();

}  // namespace argosy::testing
