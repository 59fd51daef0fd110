// SPDX-License-Identifier: Apache-2.0
// This file declares what a QUEUE is asked to do and what it answers, as plain values: requests,
// replies, and the effects that its actor carries out once the events of the decision are durable.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/gang_core.hpp"
#include "runtime/ledger/retry/retry_core.hpp"
#include "runtime/ledger/run_verdict.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/event.hpp"

namespace argosy::ledger {

using model::lease_policy;

/// What becomes of a job that no pool could take, even if all of its nodes were empty.
enum class unfit_way : std::uint8_t { reject, hold, wait };
inline constexpr std::array<std::string_view, 3> unfit_way_names{"reject", "hold", "wait"};
[[nodiscard]] inline std::span<const std::string_view> enum_names(unfit_way) {
  return unfit_way_names;
}

struct unfit_rules {
  unfit_way way = unfit_way::reject;
  /// It is rejected if no such node has come for so long.
  boot_time after = std::chrono::minutes{1};
};

struct queue_config {
  std::size_t live_jobs_max = 2'000'000;
  double priority_factor_min = 1;  ///< Above 0.
  /// All leases of a gang have to fit into one record of the log, see queue_core::fit_gangs(). A
  /// record of 8 MiB holds about this many in the worst case.
  std::uint32_t gang_cardinality_max = 6'000;
  /// A gang waits so long for members that are not there, see queue_core::end_gang_waits(); 0: for
  /// ever.
  boot_time gang_wait = std::chrono::minutes{10};
  /// How many runs of a job may come back unstarted; the next one that does fails the job.
  std::uint32_t returns_max = 3;
  /// How many runs of a job may be lost and make it queue again; the next loss fails the job.
  std::uint32_t losses_max = 5;
  /// How many runs of a job may be ended from outside, as by the drain of a node, and make it queue
  /// again; the next one that is fails the job.
  std::uint32_t disruptions_max = 16;
  /// Whether a job queues again, `disruptions_max` times at most, when the scheduler preempts its
  /// run or a drain ends it. A job may say otherwise.
  bool requeue_preempted = true;
  lease_policy on_lease_expiry = lease_policy::requeue_after_lease;
  retry_settings retries;
  unfit_rules unfit;
  std::int64_t client_id_retention_ns = 7LL * 24 * 3600 * 1'000'000'000;
};

// The following are effects.

/// Tell the CLUSTER to end this run.
struct stop_order {
  model::cluster_name cluster;
  model::stop_run order;
};

/// Tell the CLUSTER that the QUEUE no longer has this run. The CLUSTER forgets it, and stops it if
/// it turns up.
struct run_over {
  model::cluster_name cluster;
  model::node_name node;
  model::run_key run;
  run_verdict verdict = run_verdict::in_order;
  std::string why{};         ///< Why it was refused or lost.
  std::int64_t time_ns = 0;  ///< Unix time of the event by which it ended.
};

/// A gang_changed goes to its GANG, which is spawned if it does not exist.
using queue_effect = std::variant<stop_order, run_over, gang_changed>;

/// The outcome of a command, which has not changed anything yet. Apply the events in order and
/// append them; when they are durable, carry out the effects and answer. A decision with a failed
/// reply has no events.
template <class Reply>
struct decision {
  result<Reply> reply;
  std::vector<model::event> events;
  std::vector<queue_effect> effects;
};

/// An answer without content.
struct done {
  friend bool operator==(const done&, const done&) = default;
};

// The following are requests and replies.

enum class write_mode : std::uint8_t { upsert, create, update };
/// What becomes of a request to delete a queue that is not there or has live jobs.
enum class erase_mode : std::uint8_t {
  strict,   ///< It is refused.
  lenient,  ///< It does nothing.
};

/// The longest idempotency key.
inline constexpr std::size_t request_key_bytes_max = 128;

/// By it a repeated request is told from a new one.
struct request_key {
  std::string text;  ///< The idempotency key; empty: each request is a new one.
  std::uint64_t content_hash = 0;
};

struct submitted_job {
  ulid id;
  /// The client id or the idempotency key was known, so that nothing was created.
  bool duplicate = false;
};

struct submit_reply {
  std::vector<submitted_job> jobs;  ///< The jobs in the order of the request.
};

/// Which live jobs of the queue a command is about: all that satisfy every condition given.
struct job_selection {
  std::vector<ulid> ids;  ///< An empty list is no condition, but then `whole` must be set.
  std::string job_set;    ///< An empty text is no condition.
  bool whole = false;     ///< Without ids: everything that the other conditions leave.
  bool queued = true;
  bool leased = true;
  bool pending = true;
  bool running = true;
  std::vector<std::string> classes;  ///< An empty list stands for every priority class.
  /// Unless this is empty, only jobs with a live run in one of these pools are meant.
  std::vector<model::pool_name> pools;
  model::cluster_name cluster;  ///< Unless it is empty, only jobs with a live run there are meant.
  model::node_name node;        ///< The same holds for the node.
  /// The waiting members of gangs are meant with those that satisfy the conditions, and stand
  /// behind the first of these. A change that one member brings to all is then divided by its true
  /// size.
  bool with_gangs = false;
};

/// A job that is to end since it does harm, and why.
struct harmful_job {
  ulid job;
  std::string reason;
};

/// A job that no pool could take, and why.
struct unfit_job {
  ulid job;
  std::string reason;
};

/// What was found of jobs of one queue. Of a gang one member stands for all.
struct unfit_findings {
  std::vector<unfit_job> block;
  std::vector<ulid> release;  ///< Some pool could take them by now.
  std::vector<unfit_job> reject;
};

/// The jobs that the command changes, by id.
struct selection_reply {
  std::vector<ulid> ids;
  std::vector<ulid> alike{};  ///< Those that were named by id and had the priority already.
  std::size_t running = 0;    ///< How many jobs hold() left alone, since they have a run.
  ulid operation{};           ///< The operation as which this was done; nil: the jobs were few.
};

struct planned_lease {
  ulid job;
  model::cluster_name cluster;
  model::node_name node;
  model::pool_name pool;
  std::int32_t priority = 0;
};
struct planned_preemption {
  ulid job;
  ulid preemptor;  ///< It is nil if no single job took the room.
  std::string reason;
};

/// One queue's part of a plan.
struct place_request {
  std::uint64_t round = 0;
  std::vector<planned_lease> leases;
  std::vector<planned_preemption> preemptions;
};

struct placed_run {
  model::run_key run;
  model::cluster_name cluster;
  model::node_name node;
  std::shared_ptr<const model::job_header> header;
  std::int64_t leased_ns = 0;  ///< Unix time.
};
struct refused_item {
  ulid job;
  std::string reason;
};
struct place_reply {
  /// The runs that have to be ordered from their clusters, see make_start().
  std::vector<placed_run> started;
  std::vector<refused_item> refused;
  std::size_t preempted = 0;
  std::size_t rejected = 0;
};

struct report_reply {
  std::size_t taken = 0;
  /// Reports that are stale, repeated, or about a run that is not leased to the cluster.
  std::size_t ignored = 0;
};

struct job_set_counts {
  std::string job_set;
  std::size_t queued = 0;
  std::size_t active = 0;  ///< Leased, pending or running.
};

/// A gang and those of its members that are live jobs of the queue.
struct gang_roll {
  std::shared_ptr<const model::gang_info> gang;
  std::vector<gang_member> members;  ///< The live members, by id.
};

/// A job as the next snapshot shall see it.
struct job_upsert {
  std::shared_ptr<const model::job_header> header;
  std::uint32_t priority = 0;
  bool stopping = false;
  std::shared_ptr<const model::run_record> run;  ///< The live run; null: it waits.
  /// The job's gang with the sizes that hold now: a gang that ran before does not need the members
  /// that have ended. Null for a job without a gang.
  std::shared_ptr<const model::gang_info> gang;
  std::int64_t blocked_ns = 0;  ///< The Unix time since when it is blocked; 0: it is not.
};

/// Jobs that changed. Later changes replace earlier ones job by job.
struct job_changes {
  std::vector<job_upsert> set;
  std::vector<ulid> removed;
};

/// What changed in a queue since the last take_dirty().
struct queue_delta {
  bool queue_changed = false;  ///< The queue was created, erased, or has other settings.
  job_changes jobs;
};

/// The order that starts a run.
[[nodiscard]] model::start_run make_start(const model::job_header& header, std::uint32_t run,
                                          const model::node_name& node);

/// Which changes a cut has: from that of the first event that is new in it, or 0 if none is, up to
/// a position of the log. It has all changes up to there.
struct cut_range {
  model::log_position since{};
  model::log_position position{};
};

}  // namespace argosy::ledger
