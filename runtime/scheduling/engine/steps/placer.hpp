// SPDX-License-Identifier: Apache-2.0
// Places gangs, member by member, under one of the things that their nodes may have in common.
#pragma once

#include <vector>

#include "runtime/scheduling/engine/queues/pins.hpp"
#include "runtime/scheduling/engine/steps/gang_packing.hpp"
#include "runtime/scheduling/engine/steps/node_chooser.hpp"
#include "runtime/scheduling/engine/steps/returning_order.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class placer {
 public:
  placer(world& w, const books& sums, trial& under_way, node_chooser& chooser, decisions& noted,
         preemption_budget& budget);

  /// Begins once the evicted jobs are lined up.
  void open(returning_order& evicted) { evicted_ = &evicted; }

  /// Places the gang as a whole, or does nothing and says why.
  [[nodiscard]] reason place(gang& g);
  /// How many of these queued jobs, members of one gang, there is room for.
  [[nodiscard]] members_placed count_places(gang& g);

 private:
  [[nodiscard]] reason place_under(gang& g, const std::vector<pin>& pins, reason if_none);
  [[nodiscard]] bool place_once(gang& g, const pin& common);
  [[nodiscard]] bool attempt(gang& g, const pin& common);

  world& world_;
  const books& books_;
  trial& trial_;
  node_chooser& chooser_;
  decisions& noted_;
  preemption_budget& budget_;
  returning_order* evicted_ = nullptr;
  std::vector<pin> pins_;  ///< Those of the gang on trial.
};

}  // namespace argosy::scheduling::engine
