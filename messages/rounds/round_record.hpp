// SPDX-License-Identifier: Apache-2.0
// This file declares what the log keeps of a round, so that the round can be computed again and
// compared.
#pragma once

#include <cstdint>

#include "messages/native/journal.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// The record of a round that gave this plan. `decided` says which round it was; its counts and
/// digest are taken from the plan. `time_ns` is Unix time.
[[nodiscard]] native::append_ptr round_record(model::round_decided decided,
                                              const scheduling::plan& plan, std::int64_t time_ns);

}  // namespace argosy::rounds
