// SPDX-License-Identifier: Apache-2.0
// This file declares what the control plane and an agent say to each other, as values. The same
// values travel between actors of one process and, encoded as argosy.agent.v1, over the bus.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/model/job.hpp"
#include "runtime/model/node.hpp"

namespace argosy::model {

/// A claim of the lead, as agents hear of it.
struct leadership {
  model::epoch epoch{};
  model::claim_nonce nonce{};   ///< Tells two claims of one epoch apart; 0 where it is not known.
  std::string control_plane{};  ///< The id of the control plane; empty where it is not known.
};

/// How far the epochs of two processes of one control plane can be apart at most. Whoever tells of
/// a higher one is faulty or lies.
inline constexpr std::uint64_t epoch_step_max = std::uint64_t{1} << 32;

/// Whether `told` cannot be an epoch of a control plane that was at `known`.
[[nodiscard]] constexpr bool is_implausible_epoch(epoch told, epoch known) noexcept {
  return told > known && told.value - known.value > epoch_step_max;
}

/// The order to start a run. The agent refuses a run number that it has seen for the job.
struct start_run {
  run_key run;
  model::queue_name queue;
  std::string job_set;
  std::string name_space;  ///< Kubernetes' namespace; empty from older control planes.
  std::string owner;       ///< Who submitted the job.
  model::node_name node;   ///< The node's name within the agent's cluster.
  resource_list requests;
  std::int64_t grace_seconds = 1;
  std::int64_t deadline_seconds = 0;  ///< 0: none.
  bool keep_on_disconnect = false;    ///< The run does not end when the lease lapses.
  /// The encoded argosy.log.v1.JobSpec.
  std::shared_ptr<const std::string> spec;
  trace_context trace;
  std::vector<std::string> attached{};  ///< As that of the shape; agents are not told.
  bool lapses = false;                  ///< A pod that it becomes ends when the lease lapses.
  std::int64_t leased_ns = 0;           ///< Unix time; 0: not known. Agents are not told.
  std::uint32_t gang_rank = 0;          ///< The place of its own in the following list.
  /// The nodes of the gang that started with it, in the order of their ids; empty: it has no gang.
  std::vector<model::node_name> gang_nodes{};
};

/// The order to end a run: it gets SIGTERM, and SIGKILL after the grace period.
struct stop_run {
  run_key run;
  stop_cause cause = stop_cause::cancel;
  std::string reason;
  trace_context trace;
};

/// One message from a CLUSTER to its EXECUTOR. An agent refuses an epoch below the highest seen,
/// and whatever is meant for another incarnation: two agents may have been given one name.
struct agent_orders {
  model::epoch epoch{};
  std::vector<start_run> start;
  std::vector<stop_run> stop;
  /// agent_hello::said_ns of the last hello before these orders; 0 if it is not known.
  std::int64_t hello_ns = 0;
  model::incarnation incarnation{};  ///< The incarnation of the agent that they are for.
  model::claim_nonce nonce{};        ///< leadership::nonce
  std::string control_plane{};       ///< leadership::control_plane
  model::agent_process process{};    ///< The cluster_info::process of the agent that they are for.
  /// Runs of which the hello did not tell, though an earlier agent was given them, which begins
  /// none any more: the agent takes each over or says that it is gone. They have no spec.
  std::vector<start_run> find{};
};

enum class run_phase : std::uint8_t {
  accepted,  ///< The agent has recorded the run, but not started it yet.
  pending,   ///< The run is being set up.
  running,
  succeeded,
  failed,
  stopped,  ///< The run ended because it was told to stop or its lease lapsed.
  refused,  ///< The run never started, since it cannot be carried out; the outcome says why.
  unknown,  ///< The agent has no such run and never had one.
};

[[nodiscard]] constexpr bool is_final(run_phase phase) noexcept {
  return phase >= run_phase::succeeded;
}

/// A change of one run, numbered per agent incarnation; kept by the agent until acknowledged.
struct run_report {
  /// The number of the report, from 1 without gaps in each incarnation.
  std::uint64_t sequence = 0;
  run_key run;
  model::queue_name queue;
  run_phase phase = run_phase::accepted;
  std::int64_t time_ns = 0;  ///< Unix time at the agent.
  run_outcome outcome;       ///< Set in final phases.
  /// Something the user should know about how it runs: "memory is not limited: no controller".
  std::string note;
  trace_context trace;
  pod_facts pod{};           ///< The news of the run's pod.
  run_usage usage{};         ///< Empty: it says nothing of it.
  std::string name_space{};  ///< As that of known_run.
};

struct report_batch {
  model::cluster_name cluster;
  model::incarnation incarnation{};
  std::vector<run_report> reports;  ///< In sequence order.
  model::agent_process process{};   ///< cluster_info::process
};

/// All reports up to this sequence are committed, and the agent forgets them.
struct report_ack {
  std::uint64_t committed_sequence = 0;
};

/// A run that an agent has, live or ended but not yet acknowledged.
struct known_run {
  run_key run;
  model::queue_name queue;
  run_phase phase = run_phase::accepted;
  model::node_name node;
  std::string name_space{};  ///< Where the agent has it; empty from older agents.
};

/// Whether an agent takes something in another namespace for a run, such as a copy of its pod.
/// Nobody knows where one of the two is empty.
[[nodiscard]] inline bool is_elsewhere(const std::string& found, const std::string& wanted) {
  return !found.empty() && !wanted.empty() && found != wanted;
}

/// Why an agent can begin no run now, and does not know how those are that it has begun; and what
/// it goes without besides.
struct backend_trouble {
  std::string why{};          ///< A clause; empty: it begins runs.
  std::int64_t since_ns = 0;  ///< The Unix time from which on nothing is known.
  std::string lacks{};        ///< What is missing though it begins runs, as a clause; may be empty.

  friend bool operator==(const backend_trouble&, const backend_trouble&) = default;
};

/// An agent's first message, which it repeats whenever it lost contact.
struct agent_hello {
  cluster_info cluster;
  model::epoch epoch_seen{};
  std::vector<node_info> nodes;
  std::vector<known_run> runs;
  std::int64_t said_ns = 0;  ///< The agent's boot time: no two hellos have the same.
  /// Asks to serve this agent although another incarnation of its cluster is in contact.
  bool take_over = false;
  std::string control_plane{};  ///< The control plane that the agent belongs to; empty: none yet.
  /// `runs` names every run that the cluster has: no agent of an older incarnation acts any more,
  /// and what is not in the list is nowhere. An agent says so that found its runs in a place which
  /// all of them share, and that keeps the others from acting.
  bool all_runs = false;
  std::string version{};  ///< The version of the agent's program, for people; may be empty.
  backend_trouble trouble{};
  model::claim_nonce nonce_seen{};  ///< leadership::nonce of the claim of `epoch_seen`
  bool lapse = false;               ///< Pods that it makes from now on end when their lease lapses.
  bool finds = false;               ///< It does as agent_orders::find says.
};

struct hello_ack {
  model::epoch epoch{};
  std::int64_t lease_ns = 0;      ///< Runs are ended this long after the last renewal was sent.
  std::int64_t heartbeat_ns = 0;  ///< How often the agent renews.
  /// How often the agent says hello again, with its list of runs; 0 leaves that to the agent.
  std::int64_t compare_ns = 0;
  std::int64_t kill_grace_ns = 0;  ///< What the end of a run may take once its lease has lapsed.
  model::claim_nonce nonce{};      ///< leadership::nonce
  std::string control_plane{};     ///< leadership::control_plane
  /// The incarnation of the agent from now on, if it has none.
  model::incarnation incarnation{};
  /// The control plane does not count on this incarnation: the agent has to end its runs and to say
  /// hello as a new one. Nothing else is granted.
  bool begin_anew = false;
};

/// Renews the lease of all runs of the cluster.
struct agent_heartbeat {
  model::cluster_name cluster;
  model::incarnation incarnation{};
  model::agent_process process{};  ///< cluster_info::process
  /// The agent's time since boot when it said this. No two heartbeats are equal by that, so that an
  /// answer that is signed fits one of them alone.
  std::int64_t said_ns = 0;
};

struct heartbeat_ack {
  model::epoch epoch{};
  std::int64_t lease_ns = 0;
  bool hello_wanted = false;       ///< The control plane does not know this incarnation.
  std::int64_t kill_grace_ns = 0;  ///< The same as in hello_ack.
  model::claim_nonce nonce{};      ///< leadership::nonce
  std::string control_plane{};     ///< leadership::control_plane
};

/// Nodes came, went or changed.
struct agent_nodes {
  model::cluster_name cluster;
  model::incarnation incarnation{};
  std::vector<node_info> set;
  std::vector<node_name> removed;
  model::agent_process process{};  ///< cluster_info::process
};

/// The agent stops on purpose. Its runs go on (their shims live) unless it drained.
struct agent_goodbye {
  model::cluster_name cluster;
  model::incarnation incarnation{};
  std::string reason;
  model::agent_process process{};  ///< cluster_info::process
};

/// The most output that one answer holds, in bytes.
inline constexpr std::uint32_t log_chunk_bytes_max = 1u << 20;

/// Asks for the output of a run, from a byte offset on.
struct log_request {
  run_key run;
  std::uint64_t offset = 0;
  std::uint32_t size_max = 256 * 1024;
  std::string container{};       ///< Empty: the first one.
  std::uint32_t tail_lines = 0;  ///< Begins so many lines before the end; 0: at the beginning.
  std::int64_t since_ns = 0;     ///< Leaves out what was written before this time; 0: nothing.
  /// That of the last chunk, of whose request this is the next; empty: it is the first request.
  std::string position{};
  bool follow = false;   ///< More is wanted as it comes, until the container ends.
  bool unpacks = false;  ///< Whoever asks can unpack, see codec::unpack_output().
};

struct log_chunk {
  std::string data;
  std::uint64_t next_offset = 0;
  bool end = false;  ///< The run has ended and all was read.
  /// Where in `data` stderr and stdout take turns, ascending: it begins with stdout, and stderr has
  /// what is between the first place and the second.
  std::vector<std::uint32_t> turns{};
  /// Where the next request goes on, for the agent alone; empty: `next_offset` says all.
  std::string position{};
  std::string lost{};  ///< In words what is missing before `data`; empty: nothing.
  /// `data` is packed. Places in it count what was packed.
  bool packed = false;
};

}  // namespace argosy::model
