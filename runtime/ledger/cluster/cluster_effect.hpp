// SPDX-License-Identifier: Apache-2.0
// This file declares what a CLUSTER is set to and begins with, and what it has to do after an
// input: values that its actor carries out in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/base/sealed_variant.hpp"
#include "runtime/ledger/run_verdict.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/event.hpp"

namespace argosy::ledger {

/// The names of the clusters that serve a namespace.
using namespace_servers = std::function<std::vector<model::cluster_name>(const std::string&)>;

struct cluster_config {
  boot_time lease = std::chrono::minutes{10};
  boot_time heartbeat = std::chrono::seconds{5};
  /// How often the agent repeats its list of runs, so that both sides compare theirs.
  boot_time compare = std::chrono::seconds{30};
  /// The cluster's nodes take no new work when its agent was not heard for this long.
  boot_time silence_max = std::chrono::seconds{15};
  double clock_drift = 0.01;  ///< The largest relative error of the agent's clock, 0..1.
  /// How long the end of a run may take once its lease has lapsed. The agent is told this time.
  boot_time kill_grace = std::chrono::seconds{30};
  boot_time margin = std::chrono::seconds{5};
  /// How long after this process began to lead its predecessor may still have renewed leases,
  /// because it had not yet noticed that it was replaced.
  boot_time predecessor_max{};
  /// The time after which orders are sent again that the agent has not confirmed by a report.
  boot_time resend_after = std::chrono::seconds{5};
  /// How long the record of a cluster that has left, or was forgotten, is kept by the time of the
  /// log. An agent that left and comes back until then keeps its incarnation.
  std::chrono::nanoseconds left_kept = std::chrono::hours{7 * 24};
  namespace_servers other_servers{};  ///< But for this cluster.
};

/// A run that a QUEUE has on this cluster, as found at recovery.
struct desired_run {
  model::start_run start;
  model::stop_cause stopping = model::stop_cause::none;
  std::string stop_reason;
  bool reported = false;  ///< The agent has confirmed it: it was pending or running.
};

/// Send these orders to the agent. They may get lost; they are sent again until confirmed.
struct send_orders {
  model::agent_orders orders;
};

/// Send these reports to the QUEUE. When it has made them durable, call cluster_core::committed()
/// with their sequences; when it cannot, call cluster_core::not_committed(). Reports that the
/// CLUSTER made up itself have sequence 0.
struct forward_reports {
  model::queue_name queue;
  std::vector<model::run_report> reports;
  model::incarnation incarnation{};  ///< The incarnation that the sequences belong to.
};

/// Answer every report batch whose ticket is not above this number.
struct acknowledge {
  model::report_ack ack;
};

/// Tell the NODEs what they are. A new name spawns a NODE; a removed NODE retires when its last run
/// is unbound.
struct set_nodes {
  std::vector<model::node_info> nodes;
};
struct remove_nodes {
  std::vector<model::node_name> nodes;
};
struct bind_run {
  model::node_name node;
  model::run_key run;
  model::resource_list requests;
};
struct unbind_run {
  model::node_name node;
  model::run_key run;
  run_verdict verdict = run_verdict::in_order;
};
/// Tell the NODE that a run has begun there. This is told only of nodes that refused one before.
struct node_starts_runs {
  model::node_name node;
};
/// Tell the NODEs whether they may take new work.
struct set_contact {
  bool in_contact = false;
};

enum class contact_state : std::uint8_t {
  /// The cluster is known from the log; its agent has not said hello to this leader yet.
  expected,
  connected,
  silent,
  gone,  ///< The agent said goodbye.
};

/// Tell whoever watches that the cluster was heard for the first time or again, or fell silent.
struct contact_changed {
  contact_state before = contact_state::gone;
  contact_state now = contact_state::gone;
  /// For how long it was not heard; for an expected cluster the time since lead().
  boot_time silence{};
};

/// Tell whoever watches that the agent does not reach what runs its jobs, or reaches it again, for
/// which `now` is empty.
struct trouble_changed {
  model::backend_trouble before;
  model::backend_trouble now;
};

/// Tell the QUEUE that the leases of these runs are over for certain.
struct expire_leases {
  model::queue_name queue;
  std::vector<model::run_key> runs;
  /// An older incarnation had the runs and the present one does not, so that no agent will report
  /// their end.
  bool abandoned = false;
};

/// Ask the QUEUE to preempt these runs, of any priority class if `all`, and otherwise those whose
/// class allows it. If it does not answer, call cluster_core::not_preempted().
struct preempt_runs {
  model::queue_name queue;
  std::vector<model::run_key> runs;
  model::node_name node;  ///< Only runs on this node are meant; empty: on any node of the cluster.
  bool all = false;
  std::string requestor;
  std::string reason;
};

/// The agent has seen this epoch, which is higher than ours or belongs to another process, which
/// may lead.
struct epoch_seen {
  model::epoch epoch{};
};

/// The cluster has left and nothing of it runs: let its NODEs end. The CLUSTER stays for a while,
/// since the cluster may come back.
struct retire_cluster {};

using cluster_effect_variant =
    std::variant<send_orders, forward_reports, acknowledge, set_nodes, remove_nodes, bind_run,
                 unbind_run, node_starts_runs, set_contact, contact_changed, trouble_changed,
                 expire_leases, preempt_runs, epoch_seen, retire_cluster>;
using cluster_effect = sealed_variant<cluster_effect_variant>;

/// The events have to be applied at once and appended to the log. The effects do not wait for that.
struct cluster_step {
  std::vector<model::event> events;
  std::vector<cluster_effect> effects;
};

/// A step with an answer for the agent. A hello is answered when the events are durable.
template <class Reply>
struct cluster_answer {
  result<Reply> reply;
  std::vector<model::event> events;
  std::vector<cluster_effect> effects;
};

}  // namespace argosy::ledger
