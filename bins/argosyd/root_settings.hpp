// SPDX-License-Identifier: Apache-2.0
// This file declares what the ROOT of argosyd is given: the seams, the recovered state, and what
// the settings and the crashes of earlier starts say.
#pragma once

#include "actors/root.hpp"
#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/health.hpp"
#include "bins/argosyd/lead.hpp"
#include "bins/argosyd/options.hpp"
#include "bins/argosyd/transports.hpp"
#include "bins/shared/start_guard.hpp"
#include "runtime/base/result.hpp"

namespace argosy::argosyd {

/// Recovers the state and makes the configuration. An error says what to set; ec::fenced says that
/// another argosyd leads, and if the candidate must not lead, it knows why.
[[nodiscard]] result<actors::root_config> make_root_config(const options& chosen, ground& seams,
                                                           outcome& told, start_guard& guard,
                                                           transports& doors,
                                                           actors::candidacy& candidate);

}  // namespace argosy::argosyd
