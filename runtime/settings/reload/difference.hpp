// SPDX-License-Identifier: Apache-2.0
// What a changed configuration would change of one that runs. Only the keys that live_keys names
// can change while argosyd runs.
#pragma once

#include <string>
#include <vector>

#include "runtime/model/settings_changed.hpp"
#include "runtime/settings/argosyd_settings.hpp"

namespace argosy::settings {

/// So many bytes of a value are told at most.
inline constexpr std::size_t told_value_bytes = 400;

struct settings_difference {
  /// The keys that change while argosyd runs, with their values. Those of pools have names such as
  /// "scheduling.pools.gpu.disableAway".
  std::vector<model::changed_setting> live;
  /// The names of all other keys, without their values, which may be secrets.
  std::vector<std::string> restart;
};

[[nodiscard]] settings_difference difference(const argosyd_settings& running,
                                             const argosyd_settings& wanted);

}  // namespace argosy::settings
