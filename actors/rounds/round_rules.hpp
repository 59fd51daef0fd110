// SPDX-License-Identifier: Apache-2.0
// This file declares what the COORDINATOR and its ROUNDs are given beside the common configuration:
// pools with settings of their own, counters, and where a round is kept whose plan failed its
// self-check.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/interfaces/rounds/round.hpp"

namespace argosy::actors {

/// Counts of rounds since the process began. The COORDINATOR writes them; any thread may read them.
struct round_counters {
  std::atomic<std::uint64_t> decided{0};
  std::atomic<std::uint64_t> failed{0};  ///< Rounds whose input could not be decided.
  /// Rounds whose plan failed its self-check and was discarded.
  std::atomic<std::uint64_t> violations{0};
  std::atomic<std::uint64_t> leases{0};
  std::atomic<std::uint64_t> preemptions{0};

  /// Counts a round that gave this plan.
  void count(const scheduling::plan& plan) {
    ++decided;
    leases += plan.leases.size();
    preemptions += plan.preemptions.size();
  }
};

struct round_rules {
  /// The configurations by pool; a pool that is not named here has the common one.
  std::map<std::string, std::shared_ptr<const scheduling::config>> pools;
  std::shared_ptr<round_counters> counters = std::make_shared<round_counters>();
  /// Saves a round whose plan failed its self-check. It is called on the ROUND's thread, may block
  /// and must not throw. Null: such rounds are not saved.
  std::function<void(const native::round_request&, const scheduling::plan&)> keep;
  /// A plan that fails its self-check ends the process. Only tests set this.
  bool abort_on_violation = false;
  /// Decides instead of scheduling::schedule(), unless null. Only tests of what becomes of a plan
  /// set it.
  std::function<scheduling::plan(const native::round_request&)> decide;
};

}  // namespace argosy::actors
