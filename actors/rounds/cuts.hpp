// SPDX-License-Identifier: Apache-2.0
// The cuts of a cycle are the answers of those that have changed, who are asked for their changes
// as of one position of the log. The COORDINATOR owns the object that asks and hears when each
// answer has come, and uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/state/node.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

class cuts {
 public:
  /// What the COORDINATOR does with each answer.
  struct receiver {
    std::function<void(const native::queue_delta&)> take_queue;
    std::function<void(const native::node_delta&)> take_node;
    /// One answer has come, or, with false, will not come before the time is over.
    std::function<void(bool came)> answered;
  };

  cuts(coordinator_actor::base* self, std::chrono::milliseconds timeout, receiver to)
      : self_(self), timeout_(timeout), to_(std::move(to)) {}

  /// The QUEUE or NODE has something to tell.
  void changed(const queue_actor& source) { dirty_queues_.insert(source); }
  void changed(const node_actor& source) { dirty_nodes_.insert(source); }
  /// Whether anybody has something to tell who was not asked yet.
  [[nodiscard]] bool any_changed() const { return !dirty_queues_.empty() || !dirty_nodes_.empty(); }
  [[nodiscard]] std::size_t changed_queues() const { return dirty_queues_.size(); }
  [[nodiscard]] std::size_t changed_nodes() const { return dirty_nodes_.size(); }

  /// Asks all of them. Returns how many answers will come.
  [[nodiscard]] std::size_t ask(model::log_position at);

  /// The QUEUE that told of this queue, or null.
  [[nodiscard]] const queue_actor* find_queue(const std::string& queue) const;
  /// The NODE that told of the node "cluster/node", or null.
  [[nodiscard]] const node_actor* find_node(const std::string& id) const;

 private:
  static inline const logging::logger logger_{"coordinator"};

  template <class Delta, class Source>
  void ask(std::set<Source>& dirty, model::log_position at);
  void arrived(const native::queue_delta_ptr& delta, const queue_actor& from);
  void arrived(const native::node_delta_ptr& delta, const node_actor& from);
  template <class Source>
  void failed(std::set<Source>& dirty, const Source& source, const caf::error& err);

  coordinator_actor::base* self_;
  std::chrono::milliseconds timeout_;
  receiver to_;
  std::set<queue_actor> dirty_queues_;
  std::set<node_actor> dirty_nodes_;
  std::map<std::string, queue_actor> queues_;
  std::map<std::string, node_actor> nodes_;
};

}  // namespace argosy::actors
