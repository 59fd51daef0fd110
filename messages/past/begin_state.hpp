// SPDX-License-Identifier: Apache-2.0
// This file declares from which state a walk over cycles of the past begins, and what ends it
// early.
#pragma once

#include <cstddef>

#include "messages/past/past_cycle.hpp"
#include "messages/past/past_state.hpp"

namespace argosy::past {

/// After so many jobs of a store, or batches of the log, it is looked how many jobs are live.
inline constexpr std::size_t live_looked_at_every = 64;

[[nodiscard]] bool is_stopped(const past_source& from);
[[nodiscard]] bool is_over(const past_source& from);
/// Whether more jobs are live than may be.
[[nodiscard]] bool holds_too_many(const past_source& from, const view::recovered_state& state);
/// The error for that.
[[nodiscard]] failure too_many(const past_source& from);

/// The state of the store, or an empty one. Fails with ec::cancelled when the walk is over before
/// the state is there, and with too_many().
[[nodiscard]] result<past_state> begin_state(const past_source& from);

}  // namespace argosy::past
