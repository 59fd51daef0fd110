// SPDX-License-Identifier: Apache-2.0
// Makes from a store and a log the state in which actors start: the view up to its position, what
// the log has beyond it, and what the tail has beyond the log. Blocks; runs before there are
// actors.
#pragma once

#include "messages/view/recovery/recovered_state.hpp"
#include "runtime/eventlog/event_log.hpp"

namespace argosy::view {

/// The log is a chain: each batch holds the hash of the one before. Records that are no part of the
/// chain are foreign and are stepped over, unless they can only be explained by a chain that is
/// broken. From the first batch with a MAC of `key` on, batches without it are foreign as well; a
/// log whose batches have the MAC of another key is refused. A log that is gone, or has lost more
/// than the tail has, is replaced by the next generation, which begins where the store ends. Fails
/// with ec::corrupt, and says what to do, when the store and the log contradict each other in a way
/// that would lose or repeat something; otherwise with the errors of the seams.
[[nodiscard]] result<recovered_state> recover(store::database& database, eventlog::event_log& log,
                                              const state_rules& config, const codec::log_key& key);

}  // namespace argosy::view
