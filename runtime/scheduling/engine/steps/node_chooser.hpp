// SPDX-License-Identifier: Apache-2.0
// A node for one member of a gang: its own for an evicted job; for a new one a node where nobody
// loses a place, then one where evicted jobs give way, then one where lower classes do, at home and
// then away from home. Whoever gives way is pushed out in the trial under way.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/pins.hpp"
#include "runtime/scheduling/engine/steps/armada_traces.hpp"
#include "runtime/scheduling/engine/steps/balance_victims.hpp"
#include "runtime/scheduling/engine/steps/node_order.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/steps/urgency_victims.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class node_chooser {
 public:
  node_chooser(world& w, const books& sums, trial& under_way, node_order& order,
               const preemption_budget& budget, armada_traces& traces);

  /// Begins once the evicted jobs are lined up.
  void open(const returning_order& evicted);

  /// The node for a member of a gang on trial, whose nodes must have `common`; `none` if there is
  /// none. Sets the member's priority and reach.
  [[nodiscard]] std::uint32_t choose(offer& o, const gang& on_trial, const pin& common);
  /// The member is bound on that node.
  void placed(const offer& o);

 private:
  struct asked {
    offer& own;
    const gang& on_trial;
    const pin& common;
  };
  [[nodiscard]] std::uint32_t choose_home(offer& o);
  [[nodiscard]] std::uint32_t choose_away(const asked& from);
  /// A node at the priority that the member has, at home or on nodes of these away types.
  [[nodiscard]] std::uint32_t choose_at(const asked& from, std::uint32_t away_mask);
  [[nodiscard]] std::uint32_t preempt_fairly(const asked& from, std::uint32_t query,
                                             std::uint32_t matcher);
  [[nodiscard]] std::uint32_t push_in_naming(offer& o, std::uint32_t query, std::uint32_t matcher);
  /// Overdraws a node, as in Armada.
  [[nodiscard]] std::uint32_t push_in(offer& o, std::uint32_t query);

  world& world_;
  const tables& t_;
  const config& conf_;
  trial& trial_;
  node_order& order_;
  armada_traces& traces_;
  balance_victims balance_;
  urgency_victims urgency_;
  const returning_order* evicted_ = nullptr;
  std::vector<std::uint32_t> banned_;  ///< The resources that are not given out.
};

}  // namespace argosy::scheduling::engine
