// SPDX-License-Identifier: Apache-2.0
// Random small worlds from rows of small numbers. A 0 is always the plainest choice, so that a
// counterexample of which rapidcheck shrinks the numbers becomes a world that a person can read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

using dice = std::array<std::uint8_t, 24>;

struct world_dice {
  dice rules{};
  dice columns{};            ///< Which columns are taken from which preset.
  std::vector<dice> nodes;   ///< The nodes; 1 to nodes_most of them count.
  std::vector<dice> queues;  ///< The queues; 1 to 4 of them count.
  std::vector<dice> jobs;    ///< The jobs; 0 to jobs_most of them count.
};

/// What may occur. `plain`: nodes, queues, classes and jobs alone. `wide`: all that a round knows.
/// `mixed`: keys of other presets as well. `crowded`: as in wide, with many nodes and jobs.
enum class breadth { plain, wide, mixed, crowded };

[[nodiscard]] constexpr std::size_t nodes_most(breadth how) {
  return how == breadth::crowded ? 36 : 6;
}
[[nodiscard]] constexpr std::size_t jobs_most(breadth how) {
  return how == breadth::crowded ? 120 : 20;
}

[[nodiscard]] world make_world(const world_dice& from, kind preset, breadth how);

}  // namespace argosy::oracle
