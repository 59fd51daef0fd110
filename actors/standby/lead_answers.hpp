// SPDX-License-Identifier: Apache-2.0
// Of several argosyd on one NATS server one leads and the others wait. Whoever leads answers on the
// subject argosy.lead and says how far it has come; whoever wants to lead asks there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/lead_codec.hpp"
#include "messages/probes/standby_probe.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::actors {

inline constexpr std::string_view lead_subject = "argosy.lead";

/// What a leader answers. Both are called on threads of the bus.
struct lead_sources {
  std::function<ledger::leader_standing()> standing;
  /// Reads a piece of a snapshot of the leader's store; empty: there are none.
  std::function<codec::snapshot_piece(const codec::snapshot_question&)> snapshot{};
};

/// Answers from now on that this process leads, until the result is destroyed, and notes who waits.
[[nodiscard]] result<bus::subscription> answer_as_leader(
    const std::shared_ptr<bus::connection>& connection, lead_sources sources,
    std::shared_ptr<probes::standby_probe> waiting);

/// Tells who asks for the version, as status does first, why nobody leads, until the result is
/// destroyed.
[[nodiscard]] std::vector<bus::subscription> answer_without_leader(
    const std::shared_ptr<bus::connection>& connection, const std::string& why);

}  // namespace argosy::actors
