// SPDX-License-Identifier: Apache-2.0
// What a CLUSTER has to do after an input: values that its actor carries out in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/run_verdict.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/event.hpp"

namespace argosy::ledger {

struct cluster_config {
  boot_time lease = std::chrono::minutes{10};
  boot_time heartbeat = std::chrono::seconds{5};
  /// How often the agent repeats its list of runs, so that both sides compare theirs.
  boot_time compare = std::chrono::seconds{30};
  /// Without contact for so long, the cluster's nodes take no new work.
  boot_time silence_max = std::chrono::seconds{15};
  double clock_drift = 0.01;  ///< Largest relative error of the agent's clock, 0..1.
  /// How long the end of a run may take once its lease has lapsed; told to the agent.
  boot_time kill_grace = std::chrono::seconds{30};
  boot_time margin = std::chrono::seconds{5};
  /// How long after this process began to lead the one before it may still have renewed leases,
  /// since it had not noticed yet.
  boot_time predecessor_max{};
  /// Orders that the agent has not confirmed by a report are sent again after this.
  boot_time resend_after = std::chrono::seconds{5};
};

/// Send to the agent. May be lost; it is sent again until confirmed.
struct send_orders {
  model::agent_orders orders;
};

/// To the QUEUE. When it has made them durable, cluster_core::committed() is called with their
/// sequence numbers; when it cannot, cluster_core::not_committed(). Synthetic reports have
/// sequence 0.
struct forward_reports {
  std::string queue;
  std::vector<model::run_report> reports;
  std::uint64_t incarnation = 0;  ///< Whose numbers they are.
};

/// Answers every report batch whose ticket is not above the number.
struct acknowledge {
  model::report_ack ack;
};

/// To the NODEs; a new name spawns one, a removed one retires when its last run is unbound.
struct set_nodes {
  std::vector<model::node_info> nodes;
};
struct remove_nodes {
  std::vector<std::string> nodes;
};
struct bind_run {
  std::string node;
  model::run_key run;
  model::resource_list requests;
};
struct unbind_run {
  std::string node;
  model::run_key run;
  run_verdict verdict = run_verdict::in_order;
};
/// To the NODEs: whether they may take new work.
struct set_contact {
  bool in_contact = false;
};

enum class contact_state : std::uint8_t {
  expected,  ///< Known from the log; has not said hello to this leader yet.
  connected,
  silent,
  gone,  ///< Left.
};

/// For whoever watches: the cluster was heard for the first time or again, or fell silent.
struct contact_changed {
  contact_state before = contact_state::gone;
  contact_state now = contact_state::gone;
  boot_time silence{};  ///< For how long it was not heard; of an expected one since lead().
};

/// To the QUEUE: the leases of these runs are over for certain.
struct expire_leases {
  std::string queue;
  std::vector<model::run_key> runs;
  /// An older incarnation had them, and the present one does not: no agent will tell of their end.
  bool abandoned = false;
};

/// The agent has seen a higher epoch: this process does not lead any more.
struct deposed {
  std::uint64_t epoch = 0;
};

/// The cluster has left and nothing of it runs: retire its NODEs and this actor.
struct retire_cluster {};

using cluster_effect =
    std::variant<send_orders, forward_reports, acknowledge, set_nodes, remove_nodes, bind_run,
                 unbind_run, set_contact, contact_changed, expire_leases, deposed, retire_cluster>;

/// Events to apply() at once and append, and effects. Effects do not wait for the events.
struct cluster_step {
  std::vector<model::event> events;
  std::vector<cluster_effect> effects;
};

/// The same with an answer for the agent. A hello is answered when the events are durable.
template <class Reply>
struct cluster_answer {
  result<Reply> reply;
  std::vector<model::event> events;
  std::vector<cluster_effect> effects;
};

}  // namespace argosy::ledger
