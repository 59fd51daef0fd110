// SPDX-License-Identifier: Apache-2.0
// How an argosyd waits for the lead: what its data directory remembers, and the STANDBY that waits.
#pragma once

#include <caf/actor_system.hpp>
#include <memory>

#include "actors/standby/standby.hpp"
#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/health.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"

namespace argosy::argosyd {

/// Reads what the data directory keeps about leading, and gives it an id if it has none. Fails with
/// ec::corrupt if that cannot be read. `joins`: it is to decide together with other planes.
[[nodiscard]] result<std::shared_ptr<actors::candidacy>> open_candidacy(
    const ground& seams, view::state_rules rules = {}, bool joins = false);

enum class wait_end : std::uint8_t {
  may_claim,       ///< Nobody leads, and this process may.
  stopped,         ///< The process is to end.
  store_replaced,  ///< A snapshot of the leader's store is in place of the own one: open it anew.
};

/// Blocks until nobody leads and this process may claim, or the process is to end; follows the log
/// meanwhile. While nobody leads and it must not, who asks for the version is told why.
[[nodiscard]] wait_end wait_for_lead(const ground& seams, ledger::candidate_times times,
                                     const std::shared_ptr<actors::candidacy>& candidate,
                                     outcome& told, caf::actor_system& system);

/// Whether a plane answers that waits for the lead.
[[nodiscard]] bool is_there(bus::connection& connection, const model::plane& plane);

/// Whether another argosyd leads, or is about to: asks for some seconds. Whether one that is there
/// and silent counts is for the caller to say: a leader that hangs is silent, and one that has just
/// claimed is not there yet.
[[nodiscard]] bool another_leads(bus::connection& connection, bool silence_counts);

}  // namespace argosy::argosyd
