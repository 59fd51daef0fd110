// SPDX-License-Identifier: Apache-2.0
// This file declares how the engine is put the world that the slow oracle decides.
#pragma once

#include <string>
#include <vector>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/rows.hpp"
#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// Returns the engine's decisions as lines such as decide() gives. An error of the round and a
/// violation that its self-check found are lines of their own.
[[nodiscard]] std::vector<std::string> engine_decides(const world& w);

/// Returns the world as SNAP1 text with every key, so that `argosy-sim round` decides it again.
[[nodiscard]] std::string snap1_text(const world& w);

/// Returns what the engine decides, as engine_decides() does, when it reads the world's text.
[[nodiscard]] std::vector<std::string> engine_decides_text(const world& w);

/// A world as the rows of which a snapshot is made. The number of a shape in a job's row means
/// nothing: its shape stands at the same place of `shapes`.
struct engine_rows {
  scheduling::config conf;
  scheduling::round_params params;
  std::vector<scheduling::node_row> nodes;
  std::vector<scheduling::queue_row> queues;
  std::vector<scheduling::job_row> jobs;
  std::vector<scheduling::shape_row> shapes;
};

[[nodiscard]] engine_rows rows_of(const world& w);

}  // namespace argosy::oracle
