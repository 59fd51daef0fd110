// SPDX-License-Identifier: Apache-2.0
// When time alone makes another round worth while: new tokens, another eviction draw, usage that
// fades, a penalty that ends or a run that has lasted long enough to lose its place may let waiting
// jobs start although nobody reports a change.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::scheduling {

/// After how much time the next round of the same pool may decide otherwise on the same snapshot; 0
/// if an immediate one may, and nothing if it could not, whatever time passes. `penalty_end_ns` is
/// when the first penalty of short jobs in that pool ends, if there is one.
[[nodiscard]] std::optional<std::chrono::nanoseconds> wake_after(
    const config& conf, const round_params& params, const plan& decided,
    std::optional<std::int64_t> penalty_end_ns = {});

}  // namespace argosy::scheduling
