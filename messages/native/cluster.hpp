// SPDX-License-Identifier: Apache-2.0
// This file declares what CLUSTER, NODE and EXECUTOR actors tell each other beyond the values of
// model/agent.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/ledger/cluster/recent_events.hpp"
#include "runtime/ledger/health/closures.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/operation.hpp"
#include "runtime/model/round_health.hpp"

namespace argosy::native {

using hello_ptr = std::shared_ptr<const model::agent_hello>;
using orders_ptr = std::shared_ptr<const model::agent_orders>;
using report_ptr = std::shared_ptr<const model::report_batch>;
using nodes_ptr = std::shared_ptr<const model::agent_nodes>;
using log_chunk_ptr = std::shared_ptr<const model::log_chunk>;

/// Orders for one cluster that come from one queue.
struct queue_orders {
  model::queue_name queue;
  std::vector<model::start_run> start;
  std::vector<model::stop_run> stop;
};
using queue_orders_ptr = std::shared_ptr<const queue_orders>;

struct cluster_status {
  model::cluster_info cluster;
  std::string state;  ///< "expected", "connected", "away", "silent" or "gone".
  std::uint32_t nodes = 0;
  std::uint32_t runs = 0;
  std::int64_t last_heard_ns = 0;  ///< Unix time; 0: never.
  /// This clause says who cordoned it and why; it is empty if nobody did.
  std::string cordon{};
  std::optional<model::operation> drain{};  ///< Its drain while that goes on.
  std::string agent_version{};              ///< Empty: not known.
  model::backend_trouble trouble{};         ///< Why it is away, and what its agent lacks.
  std::vector<ledger::closure> closures{};  ///< The namespaces that it takes no jobs of for now.
  boot_time told_at{};                      ///< When this was told.
};

/// What happened lately to a cluster and its nodes, the newest first.
struct cluster_events {
  std::vector<ledger::recent_event> events;
  std::int64_t since_ns = 0;  ///< The Unix time from which on nothing is left out.
};
using cluster_events_ptr = std::shared_ptr<const cluster_events>;

/// What a NODE contributes to the snapshot.
struct node_delta {
  model::cluster_name cluster;
  model::pool_name pool;
  bool present = true;
  /// It is unschedulable also when the node is cordoned, quarantined or out of contact.
  model::node_info info;
  model::quarantine quarantine;
  /// It takes no new jobs since it is quarantined, or is tried again after that.
  bool quarantined = false;
};
using node_delta_ptr = std::shared_ptr<const node_delta>;

struct node_status {
  model::cluster_name cluster;
  model::pool_name pool;
  std::string state;  ///< "ready", "cordoned", "unready", "quarantined", "silent" or "gone".
  model::node_info info;
  model::resource_list used;
  std::uint32_t runs = 0;
  /// This clause says who cordoned it, or its cluster, and why; it is empty if nobody did.
  std::string cordon{};
  std::optional<model::operation> drain{};  ///< Its drain, or its cluster's, while that goes on.
  std::string why;                          ///< Why the node is quarantined, as a clause.
  std::int64_t quarantined_until_ns = 0;    ///< Unix time; 0: it is not quarantined.
};
/// The health of a node, which the COORDINATOR estimates from the ends of the runs there.
using node_health_ptr = std::shared_ptr<const model::health_record>;
using node_status_list = std::shared_ptr<const std::vector<node_status>>;

}  // namespace argosy::native
