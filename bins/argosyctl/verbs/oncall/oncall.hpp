// SPDX-License-Identifier: Apache-2.0
// The verbs for whoever is on call, which stand below other verbs.
#pragma once

#include <CLI/CLI.hpp>

#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

/// Defines `top` below the verb `actors`.
void define_actors_top(CLI::App& app, command_set& commands);

}  // namespace argosy::ctl
