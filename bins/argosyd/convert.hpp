// SPDX-License-Identifier: Apache-2.0
// Turns argosyd's settings into the configurations of its parts.
#pragma once

#include "messages/codec/submit/limits.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "runtime/settings/argosyd_settings.hpp"

namespace argosy::argosyd {

[[nodiscard]] view::state_rules ledger_rules(const settings::argosyd_settings& from);
[[nodiscard]] codec::submit_limits submit_limits(const settings::argosyd_settings& from);

}  // namespace argosy::argosyd
