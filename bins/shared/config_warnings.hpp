// SPDX-License-Identifier: Apache-2.0
// A program warns of settings that are allowed and probably not meant: by `config check`, and in
// its log at the start.
#pragma once

#include <string>
#include <vector>

#include "runtime/settings/load.hpp"

namespace argosy {

/// The warnings that hold on every machine.
[[nodiscard]] std::vector<std::string> config_warnings(
    const settings::loaded<settings::argosyd_settings>& all);
[[nodiscard]] std::vector<std::string> config_warnings(
    const settings::loaded<settings::agent_settings>& all);

/// Prints them, and what is wrong with the settings on this machine: files that are not there, and
/// addresses that it does not have. Then says that the configuration is valid.
void print_check(const settings::loaded<settings::argosyd_settings>& all,
                 const std::vector<std::string>& more);
void print_check(const settings::loaded<settings::agent_settings>& all);

/// Logs each as a warning.
void log_warnings(const std::vector<std::string>& warnings);

}  // namespace argosy
