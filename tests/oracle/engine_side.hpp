// SPDX-License-Identifier: Apache-2.0
// This file declares how the engine is put the world that the slow oracle decides.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// Returns the engine's decisions as lines such as decide() gives. An error of the round and a
/// violation that its self-check found are lines of their own.
[[nodiscard]] std::vector<std::string> engine_decides(const world& w);

/// Returns the world as SNAP1 text with every key, so that `argosy-sim round` decides it again.
[[nodiscard]] std::string snap1_text(const world& w);

/// Returns what the engine decides, as engine_decides() does, when it reads the world's text.
[[nodiscard]] std::vector<std::string> engine_decides_text(const world& w);

}  // namespace argosy::oracle
