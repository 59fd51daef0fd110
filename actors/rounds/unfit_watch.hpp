// SPDX-License-Identifier: Apache-2.0
// The COORDINATOR looks from time to time for jobs that no pool could take, and tells their QUEUEs,
// through its unfit_watch. It owns the object and uses it on its thread.
#pragma once

#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/rounds/cuts.hpp"
#include "messages/native/queue.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/pool_configs.hpp"
#include "messages/rounds/unfit_jobs.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::actors {

class unfit_watch {
 public:
  /// All must outlive the object.
  struct neighbours {
    coordinator_actor::base* self;
    rounds::delta_fold* fold;
    const rounds::pool_configs* configs;
    const cuts* sources;
    const clock_source* clock;
  };

  unfit_watch(neighbours with, ledger::unfit_rules rules) : with_(with), jobs_(rules) {}

  /// Looks, unless it did lately, and once more after a while if that may find something.
  void look();
  /// Looks again, since the while after the last look is over.
  void look_again() {
    armed_ = false;
    look();
  }

 private:
  neighbours with_;
  rounds::unfit_jobs jobs_;
  bool armed_ = false;  ///< A tick for look_again() is under way.
};

}  // namespace argosy::actors
