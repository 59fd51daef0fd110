// SPDX-License-Identifier: Apache-2.0
// Keeps of a round's plan what people ask for later: figures of each queue, and what stopped it.
#pragma once

#include <cstdint>
#include <string>

#include "messages/native/round_report.hpp"
#include "messages/rounds/unplaced_kinds.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// `from` is the snapshot that the plan was made from, and `conf` the configuration of the round.
[[nodiscard]] native::pool_round digest_of(const scheduling::plan& plan,
                                           const scheduling::snapshot& from,
                                           const scheduling::config& conf, model::pool_name pool,
                                           std::uint64_t number, std::int64_t time_ns);

/// Says what the jobs ask for that were kept from starting, by the largest kinds of them.
void name_kinds(const unplaced_kinds& unplaced, const scheduling::snapshot& from,
                const scheduling::config& conf, native::pool_round& round);

}  // namespace argosy::rounds
