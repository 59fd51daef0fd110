// SPDX-License-Identifier: Apache-2.0
// A cluster_agent is the agent of one cluster as its CLUSTER speaks to it: it is given orders,
// asked for output, and told what became of its reports. The CLUSTER owns it and uses it on its
// thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "actors/interfaces/state/cluster.hpp"
#include "runtime/ledger/cluster/cluster_effect.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

class cluster_agent {
 public:
  cluster_agent(cluster_actor::base* self, std::string cluster,
                std::chrono::milliseconds request_timeout)
      : self_(self), cluster_(std::move(cluster)), request_timeout_(request_timeout) {}

  /// The agent said hello: its orders go to this EXECUTOR from now on.
  void connect(executor_actor executor) { executor_ = std::move(executor); }
  void disconnect() { executor_ = nullptr; }

  /// Sends orders, unless no agent is connected. Lost ones are sent again by the cluster_core.
  void act(const ledger::send_orders& effect);
  /// Answers the reports up to the effect's ticket.
  void act(const ledger::acknowledge& effect);

  /// Answers the request that is being handled, a batch of reports, when its ticket is
  /// acknowledged.
  [[nodiscard]] caf::result<model::report_ack> answer_later(std::uint64_t ticket);
  /// Refuses all reports that are not answered, since the cluster is now at this incarnation.
  void refuse_reports(model::incarnation incarnation);

  /// How many batches of reports are not answered yet.
  [[nodiscard]] std::size_t unanswered() const { return unanswered_.size(); }

  /// Has the EXECUTOR answer the request that is being handled.
  [[nodiscard]] caf::result<native::log_chunk_ptr> read_log(
      const model::log_request& request) const;

 private:
  static inline const logging::logger logger_{"cluster"};

  cluster_actor::base* self_;
  std::string cluster_;
  std::chrono::milliseconds request_timeout_;
  executor_actor executor_;
  /// The reports that are not answered yet, by ticket.
  std::multimap<std::uint64_t, caf::typed_response_promise<model::report_ack>> unanswered_;
};

}  // namespace argosy::actors
