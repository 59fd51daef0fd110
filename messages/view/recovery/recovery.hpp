// SPDX-License-Identifier: Apache-2.0
// Makes from a store and a log the state in which actors start: the view up to its position, what
// the log has beyond it, and what the tail has beyond the log. Blocks; runs before there are
// actors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "messages/view/recovery/recovered_state.hpp"
#include "runtime/eventlog/event_log.hpp"

namespace argosy::view {

/// What recovery is about to do.
enum class claim_step : std::uint8_t {
  change_log,  ///< Create a log, give back to it what it lacks, or begin a new generation.
  turn,        ///< Finish a roll-over, whose last record in the old generation is in the log.
  claim,       ///< Nothing: the store has all that the log has, and a claim may follow.
};

/// Whether a process whose store ends there may do it. Several processes may want to lead on one
/// log, and nothing is written into it by one that must not. An empty gate lets everything pass.
using claim_gate =
    std::function<result<void>(const view_position& at, bool is_copy, claim_step step)>;

/// The log is a chain: each batch holds the hash of the one before. Records that are no part of the
/// chain are foreign and are stepped over, unless they can only be explained by a chain that is
/// broken. From the first batch with a MAC of `key` on, batches without it are foreign as well; a
/// log whose batches have the MAC of another key is refused. A log that is gone, or has lost more
/// than the tail has, is replaced by the next generation, which begins where the store ends. Fails
/// with ec::corrupt, and says what to do, when the store and the log contradict each other in a way
/// that would lose or repeat something; with the error of the gate if that refuses; otherwise with
/// the errors of the seams.
[[nodiscard]] result<recovered_state> recover(store::database& database, eventlog::event_log& log,
                                              const state_rules& config, const codec::log_key& key,
                                              const claim_gate& gate = {});

/// It says what recover() would do with the log as it is now, as far as can be seen without
/// applying it.
struct recovery_outlook {
  std::string refusal;       ///< A sentence without a full stop; empty: it would not refuse.
  bool changes_log = false;  ///< See claim_step::change_log.
  model::log_generation generation{};
  model::log_position end{};  ///< The last record of that generation; 0: not known.
};

/// Changes nothing. Fails with the errors of the seams.
[[nodiscard]] result<recovery_outlook> look_ahead(store::database& database,
                                                  eventlog::event_log& log,
                                                  const codec::log_key& key);

}  // namespace argosy::view
