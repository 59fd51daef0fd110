// SPDX-License-Identifier: Apache-2.0
// A run as an agent keeps it, and the events by which its backend tells about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/model/agent.hpp"

namespace argosy::model {

// The values of run_outcome::reason by which an agent tells the control plane more than the phase
// says.

// These are reasons of a refused run: its job asks for what the agent can never carry out; a fault
// of its machine is to blame and not the job; its cluster did not take it for now, which says
// nothing of job and machine; or its cluster did not take it on this machine, which says nothing of
// the machine for other jobs.
inline constexpr const char* reason_unsupported = "Unsupported";
inline constexpr const char* reason_backend_error = "BackendError";
inline constexpr const char* reason_cluster_refused = "ClusterRefused";
inline constexpr const char* reason_refused_here = "RefusedHere";

/// The categories of runs with reason_cluster_refused whose cluster takes no run of their namespace
/// for now, whatever the job: the agent lacks a right, a quota is used up, the namespace is not
/// there, or the API server or a part of Kubernetes does not do what it has to. "quota/services"
/// concerns a part of the namespace only (part_refused()).
namespace refusal_to_all {
inline constexpr const char* rights = "rights";
inline constexpr const char* quota = "quota";
inline constexpr const char* name_space = "namespace";
inline constexpr const char* server = "server";
}  // namespace refusal_to_all
/// The category of a run with reason_cluster_refused that asks for more than the whole quota of its
/// namespace in this cluster.
inline constexpr const char* refusal_above_quota = "above-quota";
/// The category of a run with reason_cluster_refused that a policy or a webhook of this cluster
/// does not take, where those of others may.
inline constexpr const char* refusal_by_admission = "admission";

// These are reasons of a failed run. Nobody saw its end; the operator does not allow the user or
// group that it asks for; it stored more than it may; its cluster never takes it; its cluster takes
// no more of its namespace; its pod never began, since it asks for something that is not there.
inline constexpr const char* reason_lost = "Lost";
inline constexpr const char* reason_user_not_allowed = "UserNotAllowed";
inline constexpr const char* reason_storage_exceeded = "StorageExceeded";
inline constexpr const char* reason_submission_refused = "SubmissionRefused";
inline constexpr const char* reason_quota_exceeded = "QuotaExceeded";
inline constexpr const char* reason_cannot_begin = "CannotBegin";

// These are reasons of a failed run whose pod was ended from outside: its node was short of
// something, somebody had it leave its node, another pod took its place, its node was shut down or
// is gone, or somebody deleted it. None of it is the fault of the job.
inline constexpr const char* reason_evicted = "Evicted";
inline constexpr const char* reason_evicted_on_request = "EvictedOnRequest";
inline constexpr const char* reason_displaced = "PreemptedByKubernetes";
inline constexpr const char* reason_node_shutdown = "NodeShutdown";
inline constexpr const char* reason_node_gone = "NodeGone";
inline constexpr const char* reason_deleted = "Deleted";

/// The agent's record of a run. It is written before the run is started and kept for a while after
/// its end was acknowledged, so that its number is not started again.
struct agent_run {
  run_key run;
  model::queue_name queue;
  std::string job_set;
  model::node_name node;
  run_phase phase = run_phase::accepted;
  std::int64_t started_ns = 0;  ///< Unix time; 0: not started.
  run_outcome outcome;
  resource_list requests;
  trace_context trace;
  std::int64_t grace_seconds = 1;
  std::int64_t deadline_seconds = 0;
  stop_cause stopping = stop_cause::none;
  std::string name_space{};  ///< That of the order; empty in records of older agents.
  std::string pod_uid{};     ///< Empty: not known yet, or there is no pod.

  friend bool operator==(const agent_run&, const agent_run&) = default;
};

/// By what a backend finds a run again that its agent has recorded.
struct recorded_run {
  run_key run;
  std::string name_space{};  ///< As those of agent_run.
  std::string pod_uid{};
  bool began = false;  ///< Something was told of it since it was ordered.

  // A run of which no more is known stands for itself.
  recorded_run(run_key of) : run(of) {}  // NOLINT(google-explicit-constructor)
  explicit recorded_run(const agent_run& record)
      : run(record.run),
        name_space(record.name_space),
        pod_uid(record.pod_uid),
        began(record.phase != run_phase::accepted || !record.pod_uid.empty()) {}

  friend bool operator==(const recorded_run&, const recorded_run&) = default;
};

/// The runs that earlier agents of the cluster have left, which this one is to go on with.
struct inherited_runs {
  /// The control plane that they belong to; empty if it is not known or there are none.
  std::string control_plane;
  std::vector<agent_run> runs;
  /// Whether there are no others, so that the list of all runs is complete.
  bool whole = false;
};

/// A change of one run, as a backend tells it, or a note about a run whose phase is as it was.
/// Phases are pending, running or a final one; of a note alone also accepted.
struct run_event {
  run_key run;
  run_phase phase = run_phase::pending;
  run_outcome outcome;       ///< Set in final phases.
  std::string note;          ///< Something that the user should know.
  std::int64_t time_ns = 0;  ///< Unix time.
  pod_facts pod{};           ///< The news of its pod since the events before.

  friend bool operator==(const run_event&, const run_event&) = default;
};

}  // namespace argosy::model
