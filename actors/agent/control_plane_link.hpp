// SPDX-License-Identifier: Apache-2.0
// A control_plane_link carries what an EXECUTOR says to the control plane, and hands back the
// answers. The EXECUTOR owns it and uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "actors/interfaces/executor.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/agent/executor_effect.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

class control_plane_link {
 public:
  template <class Ack>
  using then = std::function<void(const result<Ack>&)>;

  /// `session` is the CLUSTER, or a proxy of it.
  control_plane_link(local_executor_actor::base* self, model::cluster_name cluster,
                     cluster_session_actor session, std::chrono::milliseconds request_timeout)
      : self_(self),
        cluster_(std::move(cluster)),
        session_(std::move(session)),
        request_timeout_(request_timeout) {}

  void say(const ledger::send_hello& action, then<model::hello_ack> done);
  /// `period` is the time until the next heartbeat: an answer that comes later is of little use.
  void say(const ledger::send_heartbeat& action, boot_time period, then<model::heartbeat_ack> done);
  void say(const ledger::send_reports& action, then<model::report_ack> done);

  /// Says goodbye, unless no hello was ever said, and calls `done` however that ends.
  void say_goodbye(model::incarnation incarnation, model::agent_process process,
                   const std::function<void()>& done);

  /// The error with which the agent ends when a newer incarnation has taken the cluster.
  [[nodiscard]] error superseded_error() const;
  /// Logs a warning. Until a hello succeeds, further errors are logged at debug level.
  void complain(const char* what, const error& why);

 private:
  static inline const logging::logger logger_{"executor"};

  local_executor_actor::base* self_;
  model::cluster_name cluster_;
  cluster_session_actor session_;
  std::chrono::milliseconds request_timeout_;
  /// A hello whose answer is still on its way may have begun a session.
  bool said_hello_ = false;
  bool complained_ = false;
};

}  // namespace argosy::actors
