// SPDX-License-Identifier: Apache-2.0
// The starts of a cycle are the runs that the QUEUEs accepted of a plan. The COORDINATOR owns the
// object that keeps them until all parts of the plan are durable and then sends them to the
// CLUSTERs, and uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <map>
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
  /// Keeps what the QUEUE accepted of the present plan.
  void accepted(const model::queue_name& queue, const native::place_reply_ptr& reply) {
    accepted_.emplace_back(queue, reply);
  }
  /// Sends all that is kept. Every QUEUE has sent its stops before it answered, so that a CLUSTER
  /// hears of the run that must go before the one that needs its room.
  void hand_over();

 private:
  static inline const logging::logger logger_{"coordinator"};

  void send(const model::queue_name& queue, const native::place_reply& reply);

  void look_up(const model::cluster_name& cluster, const native::queue_orders_ptr& orders);

  coordinator_actor::base* self_;
  root_actor root_;
  std::chrono::milliseconds timeout_;
  std::map<model::cluster_name, cluster_actor> clusters_;
  std::vector<std::pair<model::queue_name, native::place_reply_ptr>> accepted_;
};

}  // namespace argosy::actors
