// SPDX-License-Identifier: Apache-2.0
// This file declares how the COORDINATOR keeps what is known of the health of nodes and queues: it
// takes the ends of runs, tells NODEs what those say of them, and has failing queues slowed. The
// rules are in ledger::health_core.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "messages/native/cluster.hpp"
#include "messages/native/queue.hpp"
#include "runtime/ledger/health/health_core.hpp"

namespace argosy::actors {

class node_health {
 public:
  /// Tells the NODE of this node, "cluster/node", about its health; with true, as an earlier leader
  /// left it.
  using teller = std::function<void(const model::node_path& node, native::node_health_ptr, bool)>;

  node_health(ledger::health_config config, teller tell) : core_(config), tell_(std::move(tell)) {}

  void restore(const model::carried_entry& entry);
  void ended(const std::vector<ledger::run_outcome>& outcomes);
  /// Returns whether the node is held back: one that an earlier leader quarantined takes no new
  /// work before its NODE has heard of that.
  [[nodiscard]] bool take(const native::node_delta& delta, std::int64_t now_ns);
  void take(const native::queue_delta& delta);
  /// An operator has released the node "cluster/node". Its NODE has been told.
  void release(const model::node_path& node, std::int64_t now_ns);
  /// Takes what has ended since the last time. Returns whether slowed() may have changed, which it
  /// does with time as well.
  [[nodiscard]] bool settle(std::int64_t now_ns);

  /// By how much, 0..1, the tokens for starts of failing queues come more slowly, as of settle().
  [[nodiscard]] const std::map<model::queue_name, double>& slowed() const noexcept {
    return slowed_;
  }
  /// Adds the entries that changed to those that a round hands on.
  void add_changes(std::vector<model::carried_entry>& out);

 private:
  ledger::health_core core_;
  teller tell_;
  std::set<model::node_path>
      restored_;  ///< Nodes of which an earlier leader knew and no NODE has told.
  std::map<model::queue_name, double> slowed_;
  std::int64_t looked_ns_ = 0;  ///< Unix time of the last look at what time alone changes.
};

}  // namespace argosy::actors
