// SPDX-License-Identifier: Apache-2.0
// Of several argosyd on one NATS server one leads and the others wait. Whoever leads answers on the
// subject argosy.lead, and whoever wants to lead asks there first.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/ledger/candidate_core.hpp"

namespace argosy::argosyd {

/// Answers from now on that this process leads, until the result is destroyed. `holder` names it
/// for people.
[[nodiscard]] result<bus::subscription> answer_as_leader(
    const std::shared_ptr<bus::connection>& connection, const std::string& holder);

/// Blocks while another argosyd leads, and logs who does. Returns false when `stop` became true
/// before the lead was free.
[[nodiscard]] bool wait_for_lead(bus::connection& connection, ledger::candidate_times times,
                                 const std::function<bool()>& stop);

/// Whether another argosyd leads, or is about to: asks for some seconds.
[[nodiscard]] bool another_leads(bus::connection& connection);

}  // namespace argosy::argosyd
