// SPDX-License-Identifier: Apache-2.0
// Lets the engine decide the same world.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// The engine's decisions in the words of decide(); an error or a violation is a line of its own.
[[nodiscard]] std::vector<std::string> engine_decides(const world& w);

}  // namespace argosy::oracle
