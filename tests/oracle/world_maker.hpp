// SPDX-License-Identifier: Apache-2.0
// This file declares how small random worlds are made from rows of small numbers, the dice. A 0 is
// always the plainest choice: rapidcheck makes the numbers of a counterexample smaller for as long
// as it stays one, so that what remains is a world that a person can read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// The numbers from which one part of a world is made.
using dice = std::array<std::uint8_t, 24>;

struct world_dice {
  dice rules{};
  dice columns{};            ///< Which columns are taken from which preset.
  std::vector<dice> nodes;   ///< A row for each node. At least 1 and at most nodes_most() count.
  std::vector<dice> queues;  ///< A row for each queue. At least 1 and at most 4 count.
  std::vector<dice> jobs;    ///< A row for each job. At most jobs_most() count.
};

/// What may occur in a world. A plain one has nodes, queues, classes and jobs alone. A wide one may
/// have everything that a round knows. A mixed one also takes keys from other presets. A crowded
/// one is a wide one with many nodes and jobs.
enum class breadth { plain, wide, mixed, crowded };

[[nodiscard]] constexpr std::size_t nodes_most(breadth how) {
  return how == breadth::crowded ? 36 : 6;
}
[[nodiscard]] constexpr std::size_t jobs_most(breadth how) {
  return how == breadth::crowded ? 120 : 20;
}

[[nodiscard]] world make_world(const world_dice& from, kind preset, breadth how);

}  // namespace argosy::oracle
