// SPDX-License-Identifier: Apache-2.0
// This file declares what is said of one job in a cycle that was decided again.
#pragma once

#include <cstdint>

#include "messages/past/past_cycle.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "runtime/base/ulid.hpp"

namespace argosy::past {

/// Says what the cycle made of the job. The round is the one that decided about it; if none did,
/// the one with this number. Fails with ec::not_found if the job was not live then.
[[nodiscard]] result<v1::JobExplanation> explain(const past_cycle& cycle, const ulid& job,
                                                 std::uint64_t round);

}  // namespace argosy::past
