// SPDX-License-Identifier: Apache-2.0
// The state of the EXECUTOR. It is private to the EXECUTOR: executor.cpp has what it does with runs
// and its backend, executor_session.cpp how it speaks with the control plane and how it ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actors/agent/backend_link.hpp"
#include "actors/agent/control_plane_link.hpp"
#include "actors/agent/executor.hpp"
#include "actors/agent/write_ahead.hpp"
#include "messages/probes/executor_probe.hpp"
#include "runtime/ledger/agent/departure_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct executor_state {
  static inline const logging::logger logger{"executor"};
  static inline const char* name = "argosy.executor";
  /// The reason in the events of runs that end because the agent ends.
  static constexpr const char* stop_reason = "the agent is shut down";
  using pointer = traced_pointer<local_executor_actor, executor_state>;

  explicit executor_state(pointer self_) : self(self_) {}

  local_executor_actor::behavior_type make_behavior(executor_actor_config cfg);
  result<void> start_backend();
  /// Takes over the runs that there are, once the backend knows them.
  result<void> adopt_runs();
  void take_trouble();
  void nodes_changed();
  caf::result<atom::ok> orders(const model::agent_orders& wanted);
  void changed(const std::vector<model::run_event>& events);
  caf::result<native::log_chunk_ptr> read_log(const model::log_request& request);
  void log_read(std::uint64_t number, const result<model::log_chunk>& answer);
  [[nodiscard]] native::executor_status status() const;
  [[nodiscard]] metrics::figure_list figures() const;

  void take(ledger::executor_step step) {
    show();
    steps->take(std::move(step));
  }
  void show() { share->show(core->run_count(), core->outbox_size(), core->connected()); }
  void give_up(const error& why);
  void arm();

  void act(const ledger::launch_run& action);
  void act(const ledger::end_run& action) { backend->stop(action.order, action.grace); }
  void act(const ledger::renew_lease& action) { backend->renew(action.lease); }
  void act(const ledger::forget_run& action) { backend->forget(action.run); }
  void act(const ledger::send_hello& action);
  void act(const ledger::send_heartbeat& action);
  void act(const ledger::send_reports& action);
  void act(const ledger::warn_of_order& action) {
    logger.error("refused to start a run", logging::kv("run", to_string(action.run)),
                 logging::kv("why", action.why));
  }

  void act(const ledger::warn_of_leader& action) {
    control_plane->complain("this agent does not obey who answers as its control plane",
                            {ec::denied, action.why});
  }
  void act(const ledger::tell_of_new_life& action) {
    logger.warning("this agent ends the runs that it has, and joins as a new one then",
                   logging::kv("cluster", core->cluster()), logging::kv("runs", action.runs));
  }

  /// Whether the error says that a newer incarnation has taken the cluster. This EXECUTOR then
  /// ends.
  bool superseded(const error& why);
  void end_if_superseded();
  /// Whether the error says that another agent serves the cluster, or that this one belongs to
  /// another control plane. This EXECUTOR then ends at once.
  bool refused(const error& why);
  void shut_down(ledger::runs_at_shutdown runs);
  void leave_when_idle();

  void tick();
  [[nodiscard]] boot_time boot() const { return config.clock->boot(); }
  [[nodiscard]] std::int64_t wall() const { return to_nanos(config.clock->wall()); }

  pointer self;
  executor_actor_config config;
  std::unique_ptr<ledger::executor_core> core;
  std::optional<probes::executor_share> share;
  std::unique_ptr<backends::backend> backend;
  std::optional<write_ahead> steps;
  std::optional<control_plane_link> control_plane;
  model::timer_generation timer;  ///< The generation of the timer that is armed.
  boot_time armed_for = boot_time::max();
  bool was_ready = false;
  bool adopted = false;  ///< It is known which runs there are.
  std::optional<ledger::departure_core> departure;
  /// Questions for parts of runs' output that are still to be answered, by their numbers.
  std::map<std::uint64_t, caf::typed_response_promise<native::log_chunk_ptr>> readers;
  std::uint64_t last_reader = 0;
};

}  // namespace argosy::actors
