// SPDX-License-Identifier: Apache-2.0
// Turns the settings that argosyd and argosy-agent share into what their parts take.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/access/identity.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/nats/settings.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy {

[[nodiscard]] logging::options logging_options(const settings::logging_settings& from);

/// Reads the file of the token or of the credentials. `name` is shown by the server's monitoring.
/// `as` is what this process is; an agent also takes the credentials of an owner. ec::not_found,
/// ec::denied and ec::invalid_argument name the file.
[[nodiscard]] result<bus::nats_settings> nats_options(const settings::nats_settings& from,
                                                      std::string name, const access::identity& as);

/// Tells whoever starts the agent of a cluster with the credentials of a user who is no owner what
/// to do.
[[nodiscard]] error no_agent(const settings::nats_settings& from, const std::string& who,
                             const std::string& cluster);

/// The folder where this user's programs keep what they remember: $XDG_STATE_HOME/argosy.
[[nodiscard]] std::filesystem::path user_state_dir();

}  // namespace argosy
