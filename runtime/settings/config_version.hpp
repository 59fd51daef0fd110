// SPDX-License-Identifier: Apache-2.0
// One number for the scheduling configuration that is in effect.
#pragma once

#include <cstdint>

#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::settings {

/// The number follows only from the effective values of the keys of `scheduling:`, however they
/// were written and wherever they were set. So it is the same after each restart and on every
/// machine, and changes as soon as a key has another value. The log has it with each round. It is
/// never 0, which older rounds have.
[[nodiscard]] std::uint64_t config_version(const scheduling_settings& settings);

}  // namespace argosy::settings
