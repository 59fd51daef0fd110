// SPDX-License-Identifier: Apache-2.0
// This file declares the state of the JOURNAL for its two sources: journal.cpp defines its messages
// and the way of a batch, journal_roll_over.cpp how the log goes on in its next generation. Nobody
// else includes it.
#pragma once

#include <optional>
#include <vector>

#include "actors/log/append_waiters.hpp"
#include "actors/log/journal.hpp"
#include "actors/log/log_watch.hpp"
#include "messages/batches/batch_core.hpp"
#include "messages/probes/log/journal_probe.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

/// How far a roll-over has come. No batch of appends begins meanwhile.
enum class roll_over_stage : std::uint8_t {
  none,
  draining,   ///< The batch under way ends first.
  sealing,    ///< The record that ends the old generation is under way.
  beginning,  ///< The record that begins the new one is under way.
};

struct journal_state {
  static inline const logging::logger logger{"journal"};

  static inline const char* name = "argosy.journal";
  using pointer = traced_pointer<journal_actor, journal_state>;

  explicit journal_state(pointer self_) : self(self_) {}

  journal_actor::behavior_type make_behavior(journal_config cfg);
  caf::result<native::append_ack> append(native::append_ptr request);
  void keep(native::append_ptr request, append_waiter who);
  void tell_all(const std::vector<batches::ticket>& tickets, const result<std::uint64_t>& outcome);
  caf::result<model::epoch> claim(const model::leader_elected& who, const alarm_actor& to);
  void verify();
  bool go_behind_foreign(const error& why);
  void flush();
  void write_tail(const batches::open_batch& batch);
  void publish(const batches::open_batch& batch);
  void apply(const std::optional<batches::finished_batch>& done);
  void committed(const std::vector<batches::ticket>& tickets, std::uint64_t position);
  /// Callers whose changes are not durable yet are told that these failed, or that nobody knows.
  enum class outcome : std::uint8_t { failed, unknown };
  void give_up(const error& why, outcome of_waiting = outcome::failed);
  void schedule_flush();

  // The steps of a roll-over.
  void begin_roll_over(model::log_generation generation);
  void seal();
  void turn();
  void finish_roll_over();
  void take_room();
  void write_alone(const native::append_ptr& request);

  pointer self;
  journal_config config;
  std::shared_ptr<probes::journal_probe> probe;
  std::optional<batches::batch_core> core;
  append_waiters waiters;
  std::uint64_t verified = 0;  ///< The position at which the log ended when verify() last looked.
  bool seemed_gone = false;    ///< verify() found no log when it last looked.
  bool flush_scheduled = false;
  std::optional<log_watch> watch;
  roll_over_stage rolling = roll_over_stage::none;
  view::next_log next;                 ///< Where the log goes on, from `sealing` on.
  std::uint64_t turning_position = 0;  ///< The position of the record that the stage waits for.
  alarm_actor alarm;
  std::vector<commit_listener_actor> listeners;
};

}  // namespace argosy::actors
