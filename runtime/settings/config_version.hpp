// SPDX-License-Identifier: Apache-2.0
// One number for the scheduling configuration that is in effect.
#pragma once

#include <cstdint>

#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::settings {

/// Follows from the effective value of every key of `scheduling:` alone, however it was written and
/// wherever it was set, so that it is the same after each restart and on every machine, and another
/// one as soon as a key has another value. Stands in the log with each round. Never 0, which older
/// rounds have.
[[nodiscard]] std::uint64_t config_version(const scheduling_settings& settings);

}  // namespace argosy::settings
