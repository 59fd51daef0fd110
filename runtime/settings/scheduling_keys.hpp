// SPDX-License-Identifier: Apache-2.0
// The round's table of keys (runtime/scheduling/keys.hpp) as fields of settings.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/scheduling/keys.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

/// A key as the section has it.
[[nodiscard]] std::unique_ptr<binding> bind_key(const scheduling::key& which,
                                                scheduling::config& target);

/// A key as one of the pools has it: `null`, and not in `said`, where the pool says nothing of it.
[[nodiscard]] std::unique_ptr<binding> bind_pool_key(const scheduling::key& which,
                                                     scheduling::config& target,
                                                     std::vector<std::string_view>& said);

}  // namespace argosy::settings
