// SPDX-License-Identifier: Apache-2.0
// From the settings that argosyd and argosy-agent have in common to what the parts take.
#pragma once

#include <string>

#include "runtime/base/result.hpp"
#include "runtime/bus/nats/settings.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy {

[[nodiscard]] logging::options logging_options(const settings::logging_settings& from);

/// `name` is shown by the server's monitoring. Reads the token file. ec::not_found, ec::denied
/// name it.
[[nodiscard]] result<bus::nats_settings> nats_options(const settings::nats_settings& from,
                                                      std::string name);

}  // namespace argosy
