// SPDX-License-Identifier: Apache-2.0
// This file declares the parts of the verb config that set single keys of a running server.
#pragma once

#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

/// Defines `config set`, `config unset` and `config settings`.
void define_settings(CLI::App& app, command_set& commands);

}  // namespace argosy::ctl
