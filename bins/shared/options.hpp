// SPDX-License-Identifier: Apache-2.0
// Turns the settings that argosyd and argosy-agent share into what their parts take.
#pragma once

#include <string>

#include "runtime/base/result.hpp"
#include "runtime/bus/nats/settings.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy {

[[nodiscard]] logging::options logging_options(const settings::logging_settings& from);

/// Reads the token file. `name` is shown by the server's monitoring. ec::not_found and ec::denied
/// name the file.
[[nodiscard]] result<bus::nats_settings> nats_options(const settings::nats_settings& from,
                                                      std::string name);

}  // namespace argosy
