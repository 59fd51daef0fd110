// SPDX-License-Identifier: Apache-2.0
// This file declares what applying one event changes in the view. Cores return these changes from
// apply(), messages/codec encodes them, and the STORE writes them without knowing the event.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/sealed_variant.hpp"
#include "runtime/ledger/queue_sums.hpp"
#include "runtime/model/event.hpp"

namespace argosy::ledger {

/// The job's new state. A terminal one moves from the live to the ended jobs.
struct put_job {
  model::job_record record;
  bool is_new = false;  ///< The job's specification is written as well.
};

/// The event itself, in the index of its job set.
struct index_event {
  model::queue_name queue;
  std::string job_set;
  model::event event;
};

/// An id of a caller names a job, as its client id, or a request, as its idempotency key. Equal
/// texts of both kinds have nothing to do with each other.
enum class id_kind : std::uint8_t { job, request };

/// An id of a caller was used. A repeat is answered with the same jobs until the id expires.
struct put_client_id {
  model::queue_name queue;
  std::string client_id;
  std::vector<ulid_range> jobs;  ///< They were made; a client id has one.
  std::uint64_t body_hash = 0;   ///< The hash of the job or of the request.
  std::int64_t used_ns = 0;
  id_kind kind = id_kind::job;
};

struct put_queue {
  model::queue_settings settings;
};
/// Erases the queue and all that is kept of it.
struct erase_queue {
  model::queue_name name;
};
/// What has ended in a queue since it was created. No number ever shrinks, even when the ended jobs
/// expire.
struct queue_totals {
  std::uint64_t succeeded = 0;  ///< The number of jobs, as in the members below.
  std::uint64_t failed = 0;
  std::uint64_t preempted = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t rejected = 0;
  /// The requested cpu of each ended run times its duration, summed up, in thousandths of a
  /// cpu-second.
  std::uint64_t usage_cpu_ms = 0;

  friend bool operator==(const queue_totals&, const queue_totals&) = default;
};
struct put_queue_totals {
  model::queue_name queue;
  queue_totals totals;
  /// It is null if the queue has no sums yet.
  std::shared_ptr<const queue_sums> sums{};
};
struct put_cluster {
  model::cluster_info cluster;
  bool present = true;       ///< False once it has left.
  std::int64_t left_ns = 0;  ///< Unix time at which it left, if it is not present.
};
/// Erases the record of a cluster that has left.
struct erase_cluster {
  model::cluster_name name;
};
struct put_node {
  model::cluster_name cluster;
  model::node_info node;
};
struct erase_node {
  model::cluster_name cluster;
  model::node_name node;
};
struct put_round {
  std::int64_t time_ns = 0;
  model::round_decided round;  ///< Without what it hands on, and without cuts.
};
/// Writes an entry that rounds hand on, or erases it if it is gone.
struct put_carried {
  model::carried_entry entry;
};
/// Writes the cordon of a node, or of the whole cluster if the node's name is empty.
struct put_cordon {
  model::cluster_name cluster;
  model::node_name node;
  model::cordon cordon;
};
struct erase_cordon {
  model::cluster_name cluster;
  model::node_name node;
};
/// A record of the audit trail, which nothing changes any more.
struct put_call {
  std::int64_t time_ns = 0;
  model::call_recorded call;
};
/// A change of the scheduling settings. Only the newest are kept.
struct put_settings_change {
  std::int64_t time_ns = 0;
  model::settings_changed change;
};
/// Writes an operation. Those that have ended leave when newer ones have.
struct put_operation {
  model::operation operation;
};
struct put_retry_policy {
  model::retry_policy policy;
};
struct erase_retry_policy {
  std::string name;
};
struct put_epoch {
  model::epoch epoch{};
  std::string holder;
  std::string control_plane{};  ///< model::leader_elected::control_plane
};

struct put_planes {
  std::vector<model::plane> planes;
};

/// Erases everything in the view that is older than the limits in the event.
struct expire_history {
  model::history_expired limits;
};

using change_variant =
    std::variant<put_job, index_event, put_client_id, put_queue, erase_queue, put_cluster, put_node,
                 erase_node, put_round, put_epoch, expire_history, put_queue_totals, put_carried,
                 erase_cluster, put_retry_policy, erase_retry_policy, put_cordon, erase_cordon,
                 put_call, put_settings_change, put_operation, put_planes>;
using change = sealed_variant<change_variant>;

using change_list = std::vector<change>;

}  // namespace argosy::ledger
