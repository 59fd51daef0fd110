// SPDX-License-Identifier: Apache-2.0
// From the `scheduling:` section to the configuration of rounds.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::settings {

/// ec::invalid_argument names the key of a quantity that does not read.
[[nodiscard]] result<scheduling::config> to_config(const scheduling_settings& from);

}  // namespace argosy::settings
