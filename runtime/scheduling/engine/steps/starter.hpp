// SPDX-License-Identifier: Apache-2.0
// Gives gangs their turns: each is asked for the limits, tried for a place, and noted as placed or
// refused.
#pragma once

#include <cstdint>

#include "runtime/scheduling/engine/queues/contest.hpp"
#include "runtime/scheduling/engine/queues/misfits.hpp"
#include "runtime/scheduling/engine/steps/armada_traces.hpp"
#include "runtime/scheduling/engine/steps/gatekeeper.hpp"
#include "runtime/scheduling/engine/steps/placer.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/steps/returning_order.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class starter {
 public:
  starter(world& w, books& sums, trial& under_way, placer& places, decisions& noted,
          preemption_budget& budget, armada_traces& traces, misfits& known);

  /// Begins once the evicted jobs are lined up.
  void open(const returning_order& evicted) { evicted_ = &evicted; }

  /// The turn of a gang of a queue. Returns `placed`, or why it was refused.
  reason give_turn(gang& g, std::uint32_t queue);
  void refuse(const gang& g, reason why);
  /// Whether evicted jobs return before new ones are tried, for want of a budget to preempt them.
  [[nodiscard]] bool is_rationed() const;
  /// Whether the round fails, so that no turns are of use any more.
  [[nodiscard]] bool is_stuck() const { return world_.is_stuck(); }
  /// The new jobs that started.
  [[nodiscard]] std::uint64_t tokens_used() const { return gate_.tokens_used(); }

 private:
  /// Whether a job of an evicted gang was pushed out since it was offered.
  [[nodiscard]] bool discarded(const gang& g) const;
  [[nodiscard]] reason attempt(gang& g, std::uint32_t queue);
  void accept(const gang& g, std::uint32_t queue);
  /// Takes the room away that evicted jobs held which cannot return.
  void give_up_room(const gang& g);

  world& world_;
  const tables& t_;
  const config& conf_;
  books& books_;
  trial& trial_;
  placer& placer_;
  decisions& noted_;
  preemption_budget& budget_;
  armada_traces& traces_;
  misfits& misfits_;
  gatekeeper gate_;
  const returning_order* evicted_ = nullptr;
};

/// The queues' gangs are tried in turn until none is left.
void compete(contest& streams, starter& turns, trial& under_way);

}  // namespace argosy::scheduling::engine
