// SPDX-License-Identifier: Apache-2.0
// The scheduling configuration that is in effect as one number, and as text that can be kept.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::settings {

/// The number follows only from the effective values of the keys of `scheduling:`, however they
/// were written and wherever they were set. So it is the same after each restart and on every
/// machine, and changes as soon as a key has another value. The log has it with each round. It is
/// never 0.
[[nodiscard]] std::uint64_t config_version(const scheduling_settings& settings);

/// The section as YAML without comments, from which load_scheduling() makes settings with the same
/// version.
[[nodiscard]] std::string config_text(const scheduling_settings& settings);

}  // namespace argosy::settings
