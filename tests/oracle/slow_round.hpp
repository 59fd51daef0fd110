// SPDX-License-Identifier: Apache-2.0
// One round of the presets other than `current`, decided slowly: nothing is kept up to date, every
// sum is made anew whenever somebody asks, and a trial works on a copy of everything.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// The decisions, sorted: 'S job node priority' for each job that starts, 'P job node' for each
/// that is preempted, 'F job' for each that its gang does without.
[[nodiscard]] std::vector<std::string> decide(const world& w);

}  // namespace argosy::oracle
