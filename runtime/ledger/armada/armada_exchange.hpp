// SPDX-License-Identifier: Apache-2.0
// This file declares what an executor of Armada and the armada_core say to each other, as values,
// and what the core has its actor do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::ledger {

/// A run that the executor says it has.
struct armada_run {
  std::string id;         ///< As it was leased.
  model::node_name node;  ///< Empty: it has no pod on a node.
  bool begun = false;
};

/// What an executor asks with: all that it has, and how much more it takes.
struct armada_request {
  model::cluster_name cluster;
  model::pool_name pool;
  std::vector<model::node_info> nodes;
  std::vector<armada_run> runs;
  std::uint32_t leases_max = 0;
};

struct armada_answer {
  /// Runs that the executor has and must not have. They are named until it names them no more.
  std::vector<std::string> cancel;
  std::vector<model::start_run> leases;
};

/// What happened to a run, as its executor tells it.
struct armada_event {
  std::optional<model::run_key> run;  ///< Nothing: the event names no run that could be ours.
  /// Nothing: the event tells of the pod alone, or nothing that is of use here.
  std::optional<model::run_phase> phase;
  std::int64_t time_ns = 0;
  model::run_outcome outcome;
  model::pod_facts pod{};    ///< The event says this of the run's pod.
  model::run_usage usage{};  ///< The pod used it; empty: the event does not say.
};

/// The first four are messages to the CLUSTER. Its answers go to the functions of the same names.
struct armada_hello {
  model::agent_hello message;
};
struct armada_nodes {
  model::agent_nodes message;
};
struct armada_heartbeat {
  model::agent_heartbeat message;
};
struct armada_reports {
  model::report_batch message;
};
/// Answer this request of the executor.
struct armada_reply {
  std::uint64_t request = 0;
  result<armada_answer> answer;
};
/// Answer all reports of events whose ticket is not above this one.
struct armada_taken {
  std::uint64_t ticket = 0;
  result<void> outcome;
};
using armada_effect = std::variant<armada_hello, armada_nodes, armada_heartbeat, armada_reports,
                                   armada_reply, armada_taken>;

}  // namespace argosy::ledger
