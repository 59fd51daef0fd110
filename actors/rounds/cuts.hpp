// SPDX-License-Identifier: Apache-2.0
// The cuts of a cycle are the answers of those that have changed, who are asked for their changes
// as of one position of the log. The COORDINATOR owns the object that asks, gives the QUEUEs their
// parts of plans, and hears when each answer has come; it uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/state/node.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "runtime/ledger/cut_table.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

class cuts {
 public:
  /// Does for the COORDINATOR what follows from each answer, and from the lack of one.
  struct receiver {
    std::function<void(const native::queue_delta_ptr&)> take_queue;
    std::function<void(const native::node_delta_ptr&)> take_node;
    /// The queue is silent. The part was given to it since its last cut; it may be null.
    std::function<void(const model::queue_name& queue, const native::place_ptr& part)> leave_queue;
    /// The node "cluster/node" is silent.
    std::function<void(const model::node_path& node)> leave_node;
    /// An answer has come for which the cycle waits, or, with false, will not come.
    std::function<void(bool came)> answered;
    /// A silent QUEUE or NODE has answered, which the next ask() takes in, or can be asked again.
    std::function<void()> answered_late;
  };
  /// A QUEUE or NODE that does not answer.
  struct silence {
    std::string who;  ///< "queue a" or "node c/n".
    boot_time since{};
  };

  /// No round may do without these queues before they have told what runs.
  cuts(coordinator_actor::base* self, std::chrono::milliseconds timeout,
       std::set<std::string> first_queues, receiver to)
      : self_(self),
        timeout_(timeout),
        to_(std::move(to)),
        asked_queues_(std::move(first_queues)) {}

  /// The QUEUE or NODE has something to tell.
  void changed(const model::queue_name& queue, const queue_actor& source);
  void changed(const node_actor& source);
  /// Whether anybody has something to tell who was not asked yet, or has answered late.
  [[nodiscard]] bool any_changed() const {
    return asked_queues_.to_ask() + asked_nodes_.to_ask() + late_.size() > 0;
  }
  [[nodiscard]] std::size_t changed_queues() const { return asked_queues_.to_ask(); }
  [[nodiscard]] std::size_t changed_nodes() const { return asked_nodes_.to_ask(); }

  /// Asks all of them. Returns for how many answers the cycle has to wait.
  [[nodiscard]] std::size_t ask(model::log_position at, boot_time now);
  /// Whether all queues have told what runs, so that rounds may take place.
  [[nodiscard]] bool is_whole() const { return asked_queues_.is_whole(); }
  /// Those that owe an answer are silent from now on. Returns how many answers the cycle does
  /// without.
  [[nodiscard]] std::size_t stop_waiting();

  /// Gives the queue its part of a plan. Returns whether an answer will come.
  bool give(const model::queue_name& queue, const native::place_ptr& part, boot_time now);
  /// The queue has made its part durable. Returns whether the cycle waits for that.
  bool accepted(const model::queue_name& queue) { return asked_queues_.accepted(queue); }

  [[nodiscard]] std::vector<silence> silent() const;
  /// The earliest time since which one of them is silent.
  [[nodiscard]] std::optional<boot_time> longest_silence() const;
  /// Since when the queue is silent, or null.
  [[nodiscard]] const boot_time* silent_since(const model::queue_name& queue) const;

  /// The QUEUE that told of this queue, or null.
  [[nodiscard]] const queue_actor* find_queue(const model::queue_name& queue) const;
  /// The NODE that told of the node "cluster/node", or null.
  [[nodiscard]] const node_actor* find_node(const model::node_path& id) const;

 private:
  static inline const logging::logger logger_{"coordinator"};

  template <class Delta, class Source>
  void request(const Source& source, const std::string& key, model::log_position at);
  template <class Source>
  void take(const Source& from, bool awaited, std::function<void()> fold);
  void arrived(const native::queue_delta_ptr& delta, const queue_actor& from);
  void arrived(const native::node_delta_ptr& delta, const node_actor& from);
  void failed(const queue_actor& source, const std::string& key, const caf::error& err);
  void failed(const node_actor& source, const std::string& key, const caf::error& err);
  void leave_queue(const model::queue_name& queue);
  void leave_node(const std::string& key);
  void finish(bool awaited, bool came);

  coordinator_actor::base* self_;
  std::chrono::milliseconds timeout_;
  receiver to_;
  ledger::cut_table asked_queues_;  ///< By name.
  ledger::cut_table asked_nodes_;   ///< By the number of the actor.
  std::map<model::queue_name, queue_actor> queues_;
  /// The parts of plans that each queue was given since its last cut.
  std::map<model::queue_name, native::place_ptr> parts_;
  std::map<model::node_path, node_actor> nodes_;   ///< By "cluster/node".
  std::map<std::string, node_actor> node_actors_;  ///< By number, while the table knows them.
  /// "cluster/node" by the number of the actor.
  std::map<std::string, model::node_path> node_ids_;
  std::vector<std::function<void()>> late_;  ///< Takes late answers in.
};

}  // namespace argosy::actors
