// SPDX-License-Identifier: Apache-2.0
// This file declares a run under chaos: a deployment, callers, a plan of faults, and the verdict of
// the witnesses when everything has come to rest.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bins/simulator/witness/log_reader.hpp"
#include "bins/simulator/witness/verdict.hpp"
#include "tests/support/chaos/load.hpp"
#include "tests/support/chaos/plan.hpp"
#include "tests/support/chaos/secured_world.hpp"

namespace argosy::chaos {

struct run_settings {
  std::uint64_t seed = 1;
  plan_rules plan{};
  load_settings load{};
  world_settings world{};
  /// How long the system may take, when the faults are over, until all accepted jobs have ended.
  std::chrono::milliseconds rest_max{120'000};
};

/// How often a fault of a kind happened, and how long it took afterwards until it was mended.
struct fault_count {
  std::string name;
  std::size_t times = 0;
  /// From the moment when the process is started or continued until the next good answer to a
  /// caller.
  std::vector<std::chrono::milliseconds> recoveries{};
};

struct run_result {
  std::string problem;  ///< The reason why the run did not come to its end; empty: it did.
  witness::verdict verdict{};
  witness::log_counts log{};
  load_counts load{};
  std::vector<fault_count> faults{};
  std::size_t argosyd_ended = 0;       ///< How often argosyd ended though nobody had killed it.
  std::size_t agents_ended = 0;        ///< The same of agents.
  std::chrono::milliseconds rested{};  ///< From the last fault to the end of the last job.
};

/// Stops argosyd and judges what the world's log and jobs say. `counts` gets those of the log.
[[nodiscard]] result<witness::verdict> judge_at_rest(secured_world& world,
                                                     const std::vector<witness::acknowledged>& told,
                                                     witness::log_counts* counts = nullptr);

/// Runs to the end. Prints what it does to stdout if `loud`.
[[nodiscard]] run_result run_chaos(const run_settings& settings, secured_world& world,
                                   bool loud = false);

/// The result as a table for people.
[[nodiscard]] std::string to_text(const run_result& of);

}  // namespace argosy::chaos
