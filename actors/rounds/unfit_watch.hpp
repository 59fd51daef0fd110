// SPDX-License-Identifier: Apache-2.0
// The COORDINATOR looks from time to time for jobs that no pool could take, and tells their QUEUEs,
// through its unfit_watch. It owns the object and uses it on its thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/rounds/cuts.hpp"
#include "messages/native/queue.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/round_history.hpp"
#include "messages/rounds/unfit_jobs.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::actors {

class unfit_watch {
 public:
  /// All must outlive the object.
  struct neighbours {
    coordinator_actor::base* self;
    rounds::delta_fold* fold;
    const cuts* sources;
    const clock_source* clock;
  };

  using config_ptr = rounds::round_history::config_ptr;

  unfit_watch(neighbours with, ledger::unfit_rules rules, config_ptr common,
              std::map<std::string, config_ptr> by_pool)
      : with_(with), jobs_(rules), pools_(std::move(common), std::move(by_pool)) {}
  /// Other configurations hold from now on.
  void configure(config_ptr common, std::map<std::string, config_ptr> by_pool) {
    pools_.configure(std::move(common), std::move(by_pool));
  }

  /// Looks, unless it did lately, and once more after a while if that may find something.
  void look();
  /// The while is over.
  void look_again() {
    armed_ = false;
    look();
  }

 private:
  neighbours with_;
  rounds::unfit_jobs jobs_;
  /// It has heard of no rounds, which say nothing of what never fits.
  rounds::round_history pools_;
  bool armed_ = false;
};

}  // namespace argosy::actors
