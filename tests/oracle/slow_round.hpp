// SPDX-License-Identifier: Apache-2.0
// This file declares the slow oracle, which decides one round of a preset other than `current`. It
// is slow so that it can be plain: it keeps no index, looks at all jobs and nodes whenever it asks
// for room, and tries to place a gang on a copy of everything.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// Returns the decisions as sorted lines: 'S job node priority' for each job that starts, 'P job
/// node' for each that is preempted, and 'F job' for each member that its gang starts without.
[[nodiscard]] std::vector<std::string> decide(const world& w);

}  // namespace argosy::oracle
