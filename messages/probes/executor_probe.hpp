// SPDX-License-Identifier: Apache-2.0
// This file defines the probes of the EXECUTOR and of the EXECUTOR_STORE. With `argosyd --dev`
// there may be several of both, whose figures are added up.
#pragma once

#include <chrono>
#include <memory>

#include "runtime/metrics/board.hpp"
#include "runtime/metrics/histogram.hpp"

namespace argosy::probes {

struct executor_probe final : metrics::probe {
  executor_probe() : probe("executor") {}

  metrics::gauge runs{*this, "argosy_executor_runs",
                      "Runs that have not ended, or whose end the control plane does not know."};
  metrics::gauge outbox{*this, "argosy_executor_outbox",
                        "Reports that the control plane has not acknowledged."};
  metrics::gauge connected{*this, "argosy_executor_connected",
                           "EXECUTORs that are in contact with their CLUSTER."};
  metrics::histogram heartbeats{*this,
                                "argosy_executor_answer_seconds",
                                "Time until the control plane had answered.",
                                {{"to", "heartbeat"}}};
  metrics::histogram reports{*this,
                             "argosy_executor_answer_seconds",
                             "Time until the control plane had answered.",
                             {{"to", "report"}}};
};

/// What one EXECUTOR contributes to the figures of all.
class executor_share {
 public:
  explicit executor_share(metrics::board& board) : whole_(board.get<executor_probe>()) {}

  void show(std::size_t runs, std::size_t outbox, bool connected) noexcept {
    runs_.set(static_cast<std::int64_t>(runs));
    outbox_.set(static_cast<std::int64_t>(outbox));
    connected_.set(connected ? 1 : 0);
  }
  void heartbeat_answered(std::chrono::nanoseconds after) noexcept {
    whole_->heartbeats.add(after);
  }
  void report_answered(std::chrono::nanoseconds after) noexcept { whole_->reports.add(after); }

 private:
  std::shared_ptr<executor_probe> whole_;
  metrics::portion runs_{whole_->runs};
  metrics::portion outbox_{whole_->outbox};
  metrics::portion connected_{whole_->connected};
};

struct executor_store_probe final : metrics::probe {
  executor_store_probe() : probe("executor_store") {}

  metrics::counter commits{*this, "argosy_executor_store_commits_total",
                           "Transactions of the agent's store."};
  metrics::counter failures{*this, "argosy_executor_store_failures_total",
                            "Transactions of the agent's store that failed."};
};

}  // namespace argosy::probes
