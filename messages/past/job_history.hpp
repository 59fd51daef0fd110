// SPDX-License-Identifier: Apache-2.0
// This file declares what one cycle that was decided again adds to the history of a job.
#pragma once

#include <vector>

#include "messages/past/cause_tally.hpp"
#include "messages/past/past_cycle.hpp"
#include "runtime/base/ulid.hpp"

namespace argosy::past {

/// What the rounds of the cycle made of the job: an entry for each round that says something of it,
/// or one for all rounds of the cycle. Empty if the job was not live then. `state` has the queues
/// as the rounds saw them. That an equal job before it did not fit counts as that it did not fit.
[[nodiscard]] std::vector<cause_entry> entries_of(const past_cycle& cycle,
                                                  const view::recovered_state& state,
                                                  const ulid& job);

}  // namespace argosy::past
