// SPDX-License-Identifier: Apache-2.0
// The events of the log: every change of state, as plain values. They are stored as argosy.log.v1;
// messages/codec converts them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/sealed_variant.hpp"
#include "runtime/model/call_recorded.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/node.hpp"
#include "runtime/model/operation.hpp"
#include "runtime/model/plane.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/model/retry_policy.hpp"
#include "runtime/model/round.hpp"
#include "runtime/model/round_health.hpp"
#include "runtime/model/settings_changed.hpp"
#include "runtime/model/ulid_range.hpp"

namespace argosy::model {

// Queues.
struct queue_set {  ///< The queue was created, or its settings were replaced.
  queue_settings settings;
};
struct queue_deleted {};

// Jobs. `job` is always a job of the event's queue.
struct job_submitted {
  std::shared_ptr<const job_header> header;
};
/// A request with an idempotency key was accepted. The event stands in one batch with those of the
/// jobs that the request made, before them.
struct submission_accepted {
  std::string key;
  std::uint64_t content_hash = 0;
  std::vector<ulid_range> jobs;  ///< The answer, in the order of the request.
};
struct job_leased {
  run_key run;
  model::cluster_name cluster;
  model::node_name node;
  model::pool_name pool;
  std::int32_t scheduled_at_priority = 0;
  std::uint64_t round = 0;
};
struct run_pending {
  run_key run;
};
struct run_running {
  run_key run;
};
struct run_succeeded {
  run_key run;
  run_outcome outcome;
};
struct run_failed {
  run_key run;
  run_outcome outcome;
};
/// Why a run came back into its queue.
enum class return_cause : std::uint8_t {
  unstarted,           ///< It came back before it began.
  refused_by_node,     ///< A fault of its node kept it from beginning.
  lost,                ///< Its end was not seen, and it is certainly over.
  refused_by_cluster,  ///< Its cluster did not take it for now, which says nothing of its node.
  refused_here,        ///< Likewise, and the job goes to other nodes from now on.
  disrupted,           ///< Its cluster ended it from outside, as when its node is drained.
  /// Its cluster takes none of its namespace for now, which does not count against the job.
  refused_to_all,
};
/// The run did not begin, was lost, or was ended from outside; the job queues again.
struct lease_returned {
  run_key run;
  std::string reason;
  return_cause cause = return_cause::unstarted;
  /// The nodes of the cluster to which later runs of the job go, if one was refused here since a
  /// volume is elsewhere, as `reason` says. Empty: all but that of the run.
  affinity_terms nodes{};
};
struct lease_expired {
  run_key run;
};
struct run_retried {  ///< The run failed, and a retry policy has the job queue again.
  run_key run;
  run_outcome outcome;
  std::string policy;       ///< The name of the policy.
  bool avoid_node = false;  ///< Later runs of the job go to other nodes.
  std::int64_t memory = 0;  ///< The bytes that the job requests from now on; 0: as before.
};
struct job_cancelling {  ///< A cancel was asked for; the live run is being stopped.
  ulid job;
  std::string requestor;
  std::string reason;
};
struct job_cancelled {
  ulid job;
  std::string requestor;
  std::string reason;
};
struct run_preempting {  ///< A round decided this, or somebody asked; the run is being stopped.
  run_key run;
  ulid preemptor;
  std::string reason;
  std::string requestor{};  ///< Empty if a round decided it.
  bool requeue = false;     ///< The job is queued again then.
};
struct job_preempted {
  run_key run;
  ulid preemptor;
  std::string reason;
  std::string requestor{};
};
struct job_rejected {  ///< The job can never run, or its gang starts without it.
  ulid job;
  std::string reason;
};
struct job_reprioritized {
  ulid job;
  std::uint32_t priority = 0;
  std::string requestor;
};

struct job_held {  ///< No round looks at the job, nor at the other waiting members of its gang.
  ulid job;
  std::string requestor;
  std::string reason;
  bool blocked = false;  ///< job_hold::blocked
};
struct job_released {  ///< Rounds look at the job again, and at the other members of its gang.
  ulid job;
  std::string requestor;
  std::string reason;
};

struct run_noted {  ///< Something that the user should know about how it runs.
  run_key run;
  std::string note;
  pod_facts pod{};    ///< The news of its pod.
  run_usage usage{};  ///< It is told and not kept with the run.
};

// Retry policies, which all queues share.
struct retry_policy_set {  ///< The policy was created or replaced.
  retry_policy policy;
};
struct retry_policy_deleted {
  std::string name;
};

// Clusters.
struct cluster_joined {
  cluster_info cluster;
};
struct cluster_left {
  model::cluster_name cluster;
  std::string reason;
};
/// Nothing is left of a cluster that has left: its record leaves the store, and its name is as if
/// it had never joined. The event's time is above the incarnation, so that whoever joins under the
/// name later gets a higher one.
struct cluster_erased {
  model::cluster_name cluster;
  model::incarnation incarnation{};  ///< The last one of the record that goes.
};
struct nodes_changed {
  model::cluster_name cluster;
  std::vector<node_info> set;
  std::vector<node_name> removed;
};

struct cordon_changed {  ///< An operator cordoned a cluster or node, or took that back.
  model::cluster_name cluster;
  model::node_name node;  ///< Empty: the whole cluster.
  bool on = false;
  std::string by;
  std::string reason;
};

// The control plane itself.
struct leader_elected {
  model::epoch epoch{};
  std::string holder;          ///< Who claims, as host and process, for people to read.
  model::claim_nonce nonce{};  ///< A random number that no other claim has.
  /// The id of the control plane, which is the same in all its claims.
  std::string control_plane{};
};

/// From now on these planes, in the order of their ids, decide together who leads, and what is
/// committed stands in the stores of two of them. None: the store of whoever leads is enough.
struct planes_changed {
  std::vector<plane> planes;
};

/// The jobs of a queue that ended in a state before a Unix time.
struct ended_before {
  model::queue_name queue;
  job_state state = job_state::succeeded;
  std::int64_t before_ns = 0;

  friend bool operator==(const ended_before&, const ended_before&) = default;
};

/// Entries that are older than these times leave the store, the oldest first, until a number of
/// records have gone. Times are Unix times of the events. Queued and running jobs stay whatever
/// their age.
struct history_expired {
  std::int64_t events_before_ns = 0;
  std::int64_t client_ids_before_ns = 0;
  std::uint32_t records_max = 0;
  std::int64_t audit_before_ns = 0;
  std::vector<ended_before> ended{};
  std::vector<std::uint64_t> audit_numbers{};  ///< Recorded calls that leave besides.
};

/// The first event of each generation of the log but the first: the log goes on in a new stream
/// from the state of a store. The batch that holds it continues the chain of the generation before.
/// A generation that rolls over also ends with this event of the next one, in a batch of its own
/// generation, which is its seal.
struct generation_begun {
  model::log_generation generation{};
  model::log_generation previous{};  ///< The generation before.
  /// The last position that is not of this generation.
  log_position position{};
  // The counts of what the state held, for people and as a check.
  std::uint64_t queues = 0;
  std::uint64_t live_jobs = 0;
  std::uint64_t clusters = 0;
};

using event_payload_variant = std::variant<
    queue_set, queue_deleted, job_submitted, job_leased, run_pending, run_running, run_succeeded,
    run_failed, lease_returned, lease_expired, job_cancelling, job_cancelled, run_preempting,
    job_preempted, job_rejected, job_reprioritized, cluster_joined, cluster_left, nodes_changed,
    leader_elected, round_decided, run_noted, history_expired, generation_begun, cluster_erased,
    run_retried, retry_policy_set, retry_policy_deleted, cordon_changed, call_recorded, job_held,
    job_released, settings_changed, operation_changed, submission_accepted, planes_changed>;
using event_payload = sealed_variant<event_payload_variant>;

struct event {
  std::int64_t time_ns = 0;  ///< Unix time at which it was decided.
  model::queue_name queue;   ///< Empty for events of clusters and of the control plane.
  event_payload payload;
};

/// The job that the event is about; nil when it is about none.
[[nodiscard]] ulid job_of(const event& e) noexcept;

/// The payload's name as it stands in logs, for example "job_leased".
[[nodiscard]] std::string_view name_of(const event_payload& payload) noexcept;

/// One record of the log.
struct log_batch {
  std::uint32_t format = 1;
  model::log_generation generation{1};
  model::epoch epoch{};
  std::uint64_t number = 0;  ///< The number of the batch in its epoch, from 1.
  /// The hash of the encoded batch before this one; 0 for the first.
  std::uint64_t previous_hash = 0;
  std::vector<event> events;
  bool has_mac = false;  ///< Whether it was decoded from bytes with a MAC, right or wrong.
};

}  // namespace argosy::model
