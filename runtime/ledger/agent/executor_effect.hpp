// SPDX-License-Identifier: Apache-2.0
// This file declares what an EXECUTOR has to do after an input: first the writes, and when these
// are on disk, the actions.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/sealed_variant.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/lease.hpp"

namespace argosy::ledger {

/// The few facts that an agent's store holds beside runs and reports.
struct executor_facts {
  model::incarnation incarnation{};
  model::epoch epoch_seen{};
  std::uint64_t next_sequence = 1;  ///< The sequence of the next report.
  model::claim_nonce nonce_seen{};  ///< The nonce of the claim of `epoch_seen`; 0: not known.
  std::string control_plane{};      ///< The control plane that the agent belongs to; empty: none.
  std::string place{};              ///< The cluster_info::place for which the store was made.

  friend bool operator==(const executor_facts&, const executor_facts&) = default;
};

struct put_facts {
  executor_facts facts;
};
struct put_agent_run {
  model::agent_run run;
};
struct erase_agent_run {
  model::run_key run;
};
struct put_outbox_report {
  model::run_report report;
};
/// Erases all reports up to and including this sequence.
struct erase_outbox_reports {
  std::uint64_t up_to = 0;
};

using executor_write_variant = std::variant<put_facts, put_agent_run, erase_agent_run,
                                            put_outbox_report, erase_outbox_reports>;
using executor_write = sealed_variant<executor_write_variant>;

struct launch_run {
  model::start_run order;
  bool find = false;  ///< It has begun, if anything of it is there, and is only looked for.
};
struct end_run {
  model::stop_run order;
  std::chrono::seconds grace{};
};
/// The control plane has renewed the lease of all runs.
struct renew_lease {
  model::run_lease lease;
};
/// The control plane knows of the run's end.
struct forget_run {
  model::run_key run;
};
/// Sends a hello. The outcome goes to hello_acknowledged() or hello_failed().
struct send_hello {
  model::agent_hello hello;
};
/// Sends a heartbeat. The outcome goes to heartbeat_acknowledged() or heartbeat_failed().
struct send_heartbeat {
  model::agent_heartbeat heartbeat;
};
/// Sends reports. The outcome goes to reports_acknowledged() or reports_failed().
struct send_reports {
  model::report_batch batch;
  std::uint64_t number = 0;  ///< Counts these messages.
};

/// Tell the operator of an order that the agent should not have got.
struct warn_of_order {
  model::run_key run;
  std::string why;
};

/// Tell the operator that somebody leads whom the agent must not obey.
struct warn_of_leader {
  std::string why;
};
/// Tell the operator that the agent ends its runs and then joins as a new one.
struct tell_of_new_life {
  std::size_t runs = 0;  ///< How many runs it has to end first.
};

using executor_effect_variant =
    std::variant<launch_run, end_run, renew_lease, forget_run, send_hello, send_heartbeat,
                 send_reports, warn_of_order, warn_of_leader, tell_of_new_life>;
using executor_effect = sealed_variant<executor_effect_variant>;

/// The writes are one transaction. No action may happen before these writes and those of all
/// earlier steps are durable.
struct executor_step {
  std::vector<executor_write> writes;
  std::vector<executor_effect> actions;
};

}  // namespace argosy::ledger
