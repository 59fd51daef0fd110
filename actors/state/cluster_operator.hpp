// SPDX-License-Identifier: Apache-2.0
// The cluster_operator does for a CLUSTER what operators ask of it: it forgets the cluster,
// releases quarantined nodes, cordons and drains. The CLUSTER owns it and uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/state/board_entry.hpp"
#include "actors/state/cluster_agent.hpp"
#include "actors/state/cluster_append.hpp"
#include "actors/state/cluster_nodes.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"

namespace argosy::actors {

class cluster_operator {
 public:
  /// The parts of the CLUSTER that operators reach; they outlive this object.
  struct parts {
    cluster_agent& agent;
    cluster_nodes& nodes;
    cluster_append& log;
    board_entry& entry;
    const clock_source& clock;
  };

  /// `carry_out` does what the core wants.
  cluster_operator(cluster_actor::base* self, std::shared_ptr<ledger::cluster_core> core, parts of,
                   std::function<void(std::vector<ledger::cluster_effect>)> carry_out)
      : self_(self), core_(std::move(core)), of_(of), carry_out_(std::move(carry_out)) {}

  /// See ledger::cluster_core::forget. Answers the request that is being handled with the number of
  /// runs that count as stopped.
  [[nodiscard]] caf::result<std::uint32_t> forget(const std::string& reason);
  /// Ends the quarantine of the node, for the NODE and for the COORDINATOR, and then for the log: a
  /// round whose record follows in the log hands on nothing of it.
  [[nodiscard]] caf::result<atom::ok> release(const model::node_name& node,
                                              const std::string& reason);
  /// See ledger::cluster_core::cordon. Answers when that is durable.
  [[nodiscard]] caf::result<atom::ok> cordon(const model::cordon_changed& wanted);
  /// See ledger::cluster_core::drain. Answers when that is durable.
  [[nodiscard]] caf::result<ledger::drain_reply> drain(const ledger::drain_request& wanted);
  /// See ledger::cluster_core::stop_drain. Answers when that is durable.
  [[nodiscard]] caf::result<model::operation> stop_drain(const model::node_name& node,
                                                         const std::string& by);
  /// What happened lately to the node, or to the cluster for an empty name; at most so much.
  /// ec::not_found for a node that neither is there nor was lately.
  [[nodiscard]] caf::result<native::cluster_events_ptr> events(const model::node_name& node,
                                                               std::uint32_t limit) const;

 private:
  [[nodiscard]] std::int64_t wall() const { return to_nanos(of_.clock.wall()); }

  cluster_actor::base* self_;
  std::shared_ptr<ledger::cluster_core> core_;
  parts of_;
  std::function<void(std::vector<ledger::cluster_effect>)> carry_out_;
};

}  // namespace argosy::actors
