// SPDX-License-Identifier: Apache-2.0
// This file declares the probes of those who own state, which count over all QUEUEs, GANGs and
// NODEs together. No time series has the name of a queue or a node, since there may be very many.
#pragma once

#include <array>
#include <memory>

#include "runtime/ledger/node_core.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::probes {

struct queue_probe final : metrics::probe {
  queue_probe() : probe("queue") {}

  static constexpr const char* jobs_name = "argosy_queue_jobs";
  static constexpr const char* jobs_help = "Live jobs of all queues by state.";

  metrics::gauge queued{*this, jobs_name, jobs_help, {{"state", "queued"}}};
  metrics::gauge leased{*this, jobs_name, jobs_help, {{"state", "leased"}}};
  metrics::gauge pending{*this, jobs_name, jobs_help, {{"state", "pending"}}};
  metrics::gauge running{*this, jobs_name, jobs_help, {{"state", "running"}}};
};

/// What one QUEUE contributes to the figures of all.
class queue_share {
 public:
  explicit queue_share(metrics::board& board) : whole_(board.get<queue_probe>()) {}

  void show(const ledger::queue_core& core) noexcept;
  [[nodiscard]] metrics::figure_list figures(const ledger::queue_core& core) const;

 private:
  std::shared_ptr<queue_probe> whole_;
  metrics::portion queued_{whole_->queued};
  metrics::portion leased_{whole_->leased};
  metrics::portion pending_{whole_->pending};
  metrics::portion running_{whole_->running};
};

struct gang_probe final : metrics::probe {
  gang_probe() : probe("gang") {}

  static constexpr const char* gangs_name = "argosy_gangs";
  static constexpr const char* gangs_help =
      "Gangs with live members: those that wait for members, and those that are complete.";

  metrics::gauge incomplete{*this, gangs_name, gangs_help, {{"state", "incomplete"}}};
  metrics::gauge complete{*this, gangs_name, gangs_help, {{"state", "complete"}}};
};

/// What one GANG contributes to the figures of all.
class gang_share {
 public:
  explicit gang_share(metrics::board& board) : whole_(board.get<gang_probe>()) {}

  void show(bool complete) noexcept {
    incomplete_.set(complete ? 0 : 1);
    complete_.set(complete ? 1 : 0);
  }

 private:
  std::shared_ptr<gang_probe> whole_;
  metrics::portion incomplete_{whole_->incomplete};
  metrics::portion complete_{whole_->complete};
};

struct node_probe final : metrics::probe {
  node_probe() : probe("node") {}

  static constexpr const char* nodes_name = "argosy_nodes";
  static constexpr const char* nodes_help = "Nodes of all clusters by state.";

  metrics::gauge ready{*this, nodes_name, nodes_help, {{"state", "ready"}}};
  metrics::gauge cordoned{*this, nodes_name, nodes_help, {{"state", "cordoned"}}};
  metrics::gauge quarantined{*this, nodes_name, nodes_help, {{"state", "quarantined"}}};
  metrics::gauge silent{*this, nodes_name, nodes_help, {{"state", "silent"}}};
  metrics::gauge gone{*this, nodes_name, nodes_help, {{"state", "gone"}}};
};

/// What one NODE contributes to the figures of all.
class node_share {
 public:
  explicit node_share(metrics::board& board) : whole_(board.get<node_probe>()) {}

  void show(ledger::node_state state) noexcept;

 private:
  std::shared_ptr<node_probe> whole_;
  /// The contributions in the order of ledger::node_state.
  std::array<metrics::portion, 5> by_state_{
      metrics::portion{whole_->ready}, metrics::portion{whole_->cordoned},
      metrics::portion{whole_->quarantined}, metrics::portion{whole_->silent},
      metrics::portion{whole_->gone}};
};

}  // namespace argosy::probes
