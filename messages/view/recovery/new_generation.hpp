// SPDX-License-Identifier: Apache-2.0
// This file declares how recovery begins a generation of the log from the state of a store.
#pragma once

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/recovery/recovered_state.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Chooses and creates the log of the generation behind `begun.previous` that nobody has written
/// into, with `begun.position` as its base, and sets `begun.generation`. Fails with the errors of
/// the seam.
result<void> choose_next(eventlog::event_log& log, model::generation_begun& begun);

/// Chooses and creates the log of the next generation that nobody has written into, and appends its
/// first record, which continues the chain at the end of `state`. The record is returned and not
/// applied yet. `given_up` is the log that was chosen before; its positions are not used again.
/// The record is of the epoch `granted`, if that is not 0. Fails with the errors of the seam.
[[nodiscard]] result<eventlog::record> write_beginning(eventlog::event_log& log,
                                                       const codec::log_key& key,
                                                       const recovered_state& state,
                                                       const eventlog::log_info& given_up,
                                                       model::epoch granted = {});

/// Erases what the tail has behind the end of the view. That was in no answer to anybody, and a new
/// generation has its positions.
result<void> forget_tail(store::database& database, model::log_position position);

}  // namespace argosy::view
