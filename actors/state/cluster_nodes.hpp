// SPDX-License-Identifier: Apache-2.0
// The cluster_nodes are the NODEs of one cluster. The CLUSTER owns them: it spawns one for each
// node that its agent has, tells them what the cluster_core decided, and keeps those that have left
// until their last run is over. It uses them on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "actors/interfaces/state/cluster.hpp"
#include "actors/state/node.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"

namespace argosy::actors {

class cluster_nodes {
 public:
  /// Every NODE is spawned with `common` and the cluster's present pool.
  cluster_nodes(cluster_actor::base* self, std::shared_ptr<const ledger::cluster_core> core,
                node_actor_config common, std::chrono::milliseconds request_timeout)
      : self_(self),
        core_(std::move(core)),
        common_(std::move(common)),
        request_timeout_(request_timeout) {}

  /// Tells the NODEs what their nodes are, and spawns those that are missing.
  void act(const ledger::set_nodes& effect);
  void act(const ledger::remove_nodes& effect);
  void act(const ledger::bind_run& effect);
  void act(const ledger::unbind_run& effect);
  void act(const ledger::node_starts_runs& effect);
  void act(const ledger::set_contact& effect);
  /// Tells the NODE, and then the COORDINATOR, that an operator has released the node at this Unix
  /// time, and calls `done` when both know it. Fails with ec::conflict if the node is neither
  /// quarantined nor on trial, and with ec::not_found if there is no NODE.
  void release(const model::node_name& node, std::int64_t now_ns,
               std::function<void(const result<void>&)> done);
  /// Tells all NODEs that their nodes have left. Each ends after its last run.
  void retire();

  /// Drops a NODE that has ended. A node that came back meanwhile gets a new NODE.
  void ended(const caf::actor_addr& who);

  [[nodiscard]] bool empty() const { return nodes_.empty(); }

  /// Answers the request that is being handled with the nodes behind the name `after`, in the order
  /// of names, at most `limit`.
  [[nodiscard]] caf::result<native::node_status_list> list(const model::node_name& after,
                                                           std::uint32_t limit) const;
  /// Answers it with this node; ec::not_found if there is no such node.
  [[nodiscard]] caf::result<native::node_status> status(const model::node_name& node) const;
  /// Makes the error for a node that is not there.
  [[nodiscard]] error unknown(const model::node_name& node) const;

 private:
  /// Adds to what a NODE says what its CLUSTER knows.
  [[nodiscard]] native::node_status complete(native::node_status status) const;
  void tell_coordinator(const model::node_name& node, std::int64_t released_ns,
                        std::function<void(const result<void>&)> done);

  cluster_actor::base* self_;
  std::shared_ptr<const ledger::cluster_core> core_;
  node_actor_config common_;
  std::chrono::milliseconds request_timeout_;
  /// The NODEs by name, also of nodes that have left but still have runs.
  std::map<model::node_name, node_actor> nodes_;
};

}  // namespace argosy::actors
