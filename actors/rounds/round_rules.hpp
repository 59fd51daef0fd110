// SPDX-License-Identifier: Apache-2.0
// What COORDINATOR and ROUNDs are given beside the configuration of the rounds: pools with settings
// of their own, what is counted, and where a round goes whose plan failed its self-check.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/interfaces/rounds/round.hpp"

namespace argosy::actors {

/// Over the life of the process; written by the COORDINATOR, read by any thread.
struct round_counters {
  std::atomic<std::uint64_t> decided{0};
  std::atomic<std::uint64_t> failed{0};      ///< The input could not be decided.
  std::atomic<std::uint64_t> violations{0};  ///< The plan failed its self-check and was discarded.
  std::atomic<std::uint64_t> leases{0};
  std::atomic<std::uint64_t> preemptions{0};
};

struct round_rules {
  /// By pool; a pool that is not named has the configuration of all.
  std::map<std::string, std::shared_ptr<const scheduling::config>> pools;
  std::shared_ptr<round_counters> counters = std::make_shared<round_counters>();
  /// Saves a round whose plan failed its self-check, on the ROUND's thread; may block, must not
  /// throw. Null: not saved.
  std::function<void(const native::round_request&, const scheduling::plan&)> keep;
  /// For tests: such a plan ends the process.
  bool abort_on_violation = false;
  /// Null: scheduling::schedule(). For tests of what becomes of a plan.
  std::function<scheduling::plan(const native::round_request&)> decide;
};

}  // namespace argosy::actors
