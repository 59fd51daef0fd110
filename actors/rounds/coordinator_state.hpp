// SPDX-License-Identifier: Apache-2.0
// This file declares the state of the COORDINATOR for its two sources: coordinator.cpp defines its
// messages and its cycle, coordinator_rounds.cpp what becomes of rounds. Nobody else includes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/rounds/coordinator.hpp"
#include "actors/rounds/cuts.hpp"
#include "actors/rounds/cycle_timer.hpp"
#include "actors/rounds/node_health.hpp"
#include "actors/rounds/round_log.hpp"
#include "actors/rounds/starts.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/round_history.hpp"
#include "messages/rounds/round_trends.hpp"
#include "runtime/ledger/cycle_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/scheduling/between/carry_over.hpp"
#include "runtime/scheduling/between/closed_nodes.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct coordinator_state {
  static inline const char* name = "argosy.coordinator";
  static inline const logging::logger logger{"coordinator"};
  using pointer = traced_pointer<coordinator_actor, coordinator_state>;

  explicit coordinator_state(pointer self_) : self(self_) {}

  coordinator_actor::behavior_type make_behavior(coordinator_config cfg);

  void changed(const auto& source) {
    sources->changed(source);
    carry_out(cycle->changed(config.clock->boot()));
  }
  void restore(const std::vector<model::carried_entry>& entries);
  void carry_out(const ledger::cycle_effects& effects);
  void act(const ledger::arm_timer& effect) { arm_cycle_timer(self, effect); }
  void act(const ledger::ask_for_cuts&);
  void act(const ledger::finish_fold& effect);
  void act(const ledger::start_round& effect);
  void act(const ledger::give_up_round& effect);
  void act(const ledger::hand_over_starts& effect);

  void note_due();
  void note_phase();
  void note_changes_before();
  void take(const native::queue_delta& delta);
  void take(const native::node_delta& delta);
  void settle();
  [[nodiscard]] native::placement_ptr explain(const ulid& job);
  [[nodiscard]] native::job_on_node_ptr explain(const native::job_on_node_question& asked);
  [[nodiscard]] native::node_answer_ptr explain(const native::node_question& asked);
  [[nodiscard]] native::round_report_ptr report() const;
  void use_new_settings();
  void plan_arrived(const native::round_ptr& request, const native::plan_ptr& plan,
                    std::int64_t begun_ns);
  void round_failed(const error& why);
  void report_errors(const std::vector<error>& errors);
  [[nodiscard]] ledger::cycle_now now() const {
    return {config.clock->boot(), sources->any_changed()};
  }
  [[nodiscard]] std::int64_t wall() const { return to_nanos(config.clock->wall()); }
  [[nodiscard]] native::coordinator_status_ptr status() const;
  [[nodiscard]] metrics::figure_list figures() const;

  pointer self;
  coordinator_config config;
  std::unique_ptr<rounds::delta_fold> fold;
  std::optional<cuts> sources;
  std::optional<starts> planned;
  std::optional<round_log> record;
  model::log_position position;      ///< Up to here the log is committed.
  model::log_position cut_position;  ///< The position of the last cuts.
  model::log_position cut_before;    ///< The position of the cuts before them.

  std::optional<ledger::cycle_core> cycle;
  std::optional<boot_time> due_shown;  ///< The probe shows this as the core's due_since().
  caf::actor_addr worker;              ///< The last ROUND, until it has ended.

  ledger::cycle_phase phase = ledger::cycle_phase::waiting;  ///< The phase that was noted last.
  boot_time phase_begun{};
  std::int64_t last_round_ns = 0;
  std::int64_t last_duration_ns = 0;
  std::optional<rounds::round_history> history;
  rounds::round_trends trends;
  scheduling::carry_over carried;
  scheduling::closed_nodes closed;
  std::vector<model::carried_entry> before;  ///< For the next record, as its namesake there.
  std::vector<model::queue_cut> odd_cuts;    ///< For the next record.
  std::optional<node_health> health;
  native::round_settings_ptr new_settings;  ///< For the next cycle; null: those that run.
};

}  // namespace argosy::actors
