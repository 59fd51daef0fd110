// SPDX-License-Identifier: Apache-2.0
// The `scheduling:` section as the round's own configuration.
#pragma once

#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::settings {

/// What rounds of `pool` run with: the section, and what its `pools` say of that pool. The settings
/// must have passed check(). ec::invalid_argument names the key if values cannot be combined.
[[nodiscard]] result<scheduling::config> to_config(const scheduling_settings& item,
                                                   std::string_view pool);

}  // namespace argosy::settings
