// SPDX-License-Identifier: Apache-2.0
// The starts of a cycle are the runs that the QUEUEs accepted of a plan. The COORDINATOR owns the
// object that keeps them until all parts of the plan are durable and then sends them to the
// CLUSTERs, and uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/interfaces/root.hpp"
#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

class starts {
 public:
  /// ROOT finds or spawns the CLUSTERs that are not known here.
  starts(coordinator_actor::base* self, root_actor root, std::chrono::milliseconds timeout)
      : self_(self), root_(std::move(root)), timeout_(timeout) {}

  /// The CLUSTER that hears of the starts on this cluster.
  void know(const model::cluster_name& cluster, const cluster_actor& handle) {
    clusters_[cluster] = handle;
  }
  /// The CLUSTER ends and gets nothing any more.
  void forget(const model::cluster_name& cluster, const cluster_actor& handle);
  /// Keeps what the QUEUE accepted of a plan. Nothing is held back for it any more.
  void accepted(const model::queue_name& queue, const native::place_reply_ptr& reply) {
    accepted_.emplace_back(queue, reply);
    held_back_.erase(queue);
  }
  /// Keeps all starts on these nodes "cluster/node" until the queue has accepted its part.
  void hold_back(const model::queue_name& queue, std::set<std::string> nodes) {
    held_back_[queue].merge(nodes);
  }
  /// Sends what is kept and not held back. Every QUEUE has sent its stops before it answered, so
  /// that a CLUSTER hears of the run that must go before the one that needs its room.
  void hand_over();

 private:
  static inline const logging::logger logger_{"coordinator"};

  [[nodiscard]] bool is_held_back(const model::node_path& node) const;
  void send(const model::queue_name& queue, const native::place_reply& reply);
  void look_up(const model::cluster_name& cluster, const native::queue_orders_ptr& orders);

  coordinator_actor::base* self_;
  root_actor root_;
  std::chrono::milliseconds timeout_;
  std::map<model::cluster_name, cluster_actor> clusters_;
  std::vector<std::pair<model::queue_name, native::place_reply_ptr>> accepted_;
  std::map<model::queue_name, std::set<std::string>> held_back_;  ///< The nodes, by queue.
};

}  // namespace argosy::actors
