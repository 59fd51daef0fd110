// SPDX-License-Identifier: Apache-2.0
// This file arms the timer of the COORDINATOR's cycle.
#pragma once

#include <chrono>

#include "actors/interfaces/atoms.hpp"
#include "runtime/ledger/cycle_core.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/trace/caf/delayed_send.hpp"

namespace argosy::actors {

/// Sends the actor a tick of this generation after the delay. A tick that somebody's change has
/// brought about belongs to the trace of that change.
template <class Self>
void arm_cycle_timer(Self self, const ledger::arm_timer& effect) {
  const auto delay = std::chrono::ceil<std::chrono::milliseconds>(effect.delay);
  const model::timer_generation generation{effect.number};
  if (delay.count() == 0)
    self->send(self, atom::tick_v, generation);
  else if (effect.woken)
    trace::delayed_send(self, self, delay, atom::tick_v, generation);
  else
    trace::tick_send(self, self, delay, atom::tick_v, generation);
}

}  // namespace argosy::actors
