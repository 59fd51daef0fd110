// SPDX-License-Identifier: Apache-2.0
// A CLUSTER tells the QUEUEs of their runs through cluster_queues: what the agent reports, which
// leases are over, and which runs a drain wants to end. The cluster_core hears what became of it.
// The CLUSTER owns it and uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/directory.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

class cluster_queues {
 public:
  /// `take` carries out what the core decides when reports are committed.
  cluster_queues(cluster_actor::base* self, std::shared_ptr<ledger::cluster_core> core,
                 directory queues, std::chrono::milliseconds request_timeout,
                 std::vector<std::string> preemptible_classes,
                 std::function<void(ledger::cluster_step)> take)
      : self_(self),
        core_(std::move(core)),
        queues_(std::move(queues)),
        request_timeout_(request_timeout),
        preemptible_classes_(std::move(preemptible_classes)),
        take_(std::move(take)) {}

  void act(const ledger::forward_reports& effect);
  void act(const ledger::expire_leases& effect);
  void act(const ledger::preempt_runs& effect);

 private:
  static inline const logging::logger logger_{"cluster"};

  /// What became of something that a QUEUE was told.
  enum class told : std::uint8_t {
    taken,     ///< It is durable.
    no_queue,  ///< There is no such queue, so that nobody waits for it any more.
    failed,    ///< It is not known to be durable and has to be told again.
  };
  using continuation = std::function<void(told)>;

  /// Finds the QUEUE and sends it the message. If that fails, the log gets a line with `failure`.
  template <class... Message>
  void tell(const model::queue_name& queue, const char* failure, const continuation& done,
            Message... message);
  template <class... Message>
  void send(const queue_actor& queue, const char* failure, const continuation& done,
            const Message&... message);

  cluster_actor::base* self_;
  std::shared_ptr<ledger::cluster_core> core_;
  directory queues_;
  std::chrono::milliseconds request_timeout_;
  std::vector<std::string> preemptible_classes_;
  std::function<void(ledger::cluster_step)> take_;
};

}  // namespace argosy::actors
