// SPDX-License-Identifier: Apache-2.0
// This file declares the state of the ROOT for its two sources: root.cpp defines its messages and
// the shutdown, root_children.cpp the start. Nobody else includes it.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/api/gateway.hpp"
#include "actors/root.hpp"
#include "messages/probes/lead_probe.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct root_state {
  static inline const logging::logger logger{"root"};

  static inline const char* name = "argosy.root";
  using pointer = traced_pointer<root_actor, root_state>;

  explicit root_state(pointer self_) : self(self_) {}

  root_actor::behavior_type make_behavior(root_config cfg);

  // The steps of the start.
  void spawn_log_actors();
  void lead(model::epoch granted);
  void spawn_policies_actor();
  void spawn_settings_actor();
  void spawn_audit_actor();
  void spawn_retention_actor();
  void spawn_gateways();
  /// Reads again which claims the log holds.
  result<void> read_lineage();
  /// The priority classes whose runs somebody may preempt.
  [[nodiscard]] std::vector<std::string> preemptible_classes() const;
  /// What is the same for all GATEWAYs of the API.
  [[nodiscard]] gateway_config common_gateway_config() const;
  void spawn_inner_gateway();
  queue_actor add_queue(const model::queue_name& queue, std::shared_ptr<ledger::queue_core> core);
  cluster_actor add_cluster(const model::cluster_name& cluster,
                            std::shared_ptr<ledger::cluster_core> core);
  void keep_for(const ledger::retention_config& rules);
  void let_go(const model::queue_name& queue, const queue_actor& handle);
  void let_go(const model::cluster_name& cluster, const cluster_actor& handle);
  template <class Handle>
  const Handle& supervise(const Handle& handle);

  [[nodiscard]] metrics::figure_list figures() const;

  // The steps of the shutdown.
  void fail_process(const std::string& why);
  void begin_shutdown();
  void next_stage();
  void end_stage(model::timer_generation generation);
  void child_down(const caf::down_msg& down);

  [[nodiscard]] root_actor me() const { return caf::actor_cast<root_actor>(self); }

  pointer self;
  root_config config;
  std::shared_ptr<probes::root_probe> probe;
  model::epoch epoch;  ///< The epoch that this process holds; 0 when it does not lead yet.

  store_actor store;
  journal_actor journal;
  reader_actor reader;  ///< Answers what takes no time.
  reader_actor list_reader;
  reader_actor event_reader;
  tracer_actor tracer;
  std::shared_ptr<eventlog::log_load> load;
  std::shared_ptr<lineage_board> lineage;
  leader_actor leader;
  coordinator_actor coordinator;
  retention_actor retention;
  bus_actor bus;
  gateway_actor gateway;
  bus_actor inner_bus;                  ///< With config.inner_connection only.
  gateway_actor inner_gateway;          ///< Likewise.
  armada_gateway_actor armada_gateway;  ///< Likewise.
  gateway_actor agent_gateway;
  policies_actor policies;
  settings_actor live_settings;
  struct {
    explainer_actor of_now;
    archive_actor of_the_past;
  } answers;                                       ///< These say why a job waits, and waited.
  std::shared_ptr<border::shares> slow_questions;  ///< The callers of all GATEWAYs share it.
  audit_actor audit;
  ledger::retry_policies_ptr retry_policies;  ///< What POLICIES said last.
  std::map<model::queue_name, queue_actor> queues;
  cluster_map clusters;

  std::map<caf::actor_addr, caf::strong_actor_ptr> children;
  std::set<caf::actor_addr> parting;  ///< The children that end since they own nothing any more.
  bool stopping = false;
  std::deque<std::vector<caf::strong_actor_ptr>> stages;
  std::set<caf::actor_addr> awaited;
  model::timer_generation stage;
};

template <class Handle>
const Handle& root_state::supervise(const Handle& handle) {
  self->monitor(handle);
  children[handle.address()] = caf::actor_cast<caf::strong_actor_ptr>(handle);
  probe->children.set(static_cast<std::int64_t>(children.size()));
  return handle;
}

}  // namespace argosy::actors
