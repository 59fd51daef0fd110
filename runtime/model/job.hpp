// SPDX-License-Identifier: Apache-2.0
// A job as the control plane sees it: an immutable header made at submission, and the state that
// the job's queue keeps. The pod specification itself stays encoded; only its scheduling shape is
// looked at between the gateway and the agent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/model/trace_context.hpp"

namespace argosy::model {

/// Resource name to amount in the resource's unit (cpu in milli-cores, memory and ephemeral-storage
/// in bytes, everything else in whole pieces), sorted by name. Amounts are never negative.
using resource_list = std::vector<std::pair<std::string, std::int64_t>>;

/// Label name to value, sorted by name.
using label_list = std::vector<std::pair<std::string, std::string>>;

/// A Kubernetes toleration. An empty key with exists tolerates everything; an empty effect matches
/// every effect.
struct toleration {
  std::string key;
  bool exists = false;  ///< Operator Exists; otherwise Equal.
  std::string value;
  std::string effect;

  friend bool operator==(const toleration&, const toleration&) = default;
};

/// What makes a toleration one that Kubernetes refuses.
struct toleration_fault {
  std::string_view field;  ///< As Kubernetes calls it.
  std::string why;         ///< "must be ...", "is ...".
};

[[nodiscard]] std::optional<toleration_fault> find_fault(const toleration& in);

/// One rule of a required node affinity term.
struct affinity_rule {
  enum class op : std::uint8_t { in, not_in, exists, does_not_exist, gt, lt };
  std::string key;
  op operation = op::in;
  std::vector<std::string> values;

  friend bool operator==(const affinity_rule&, const affinity_rule&) = default;
};

/// Terms are alternatives; the rules of a term must all hold.
using affinity_terms = std::vector<std::vector<affinity_rule>>;

/// Where the volumes of a job are in one cluster, as its agent has found out.
struct volume_place {
  model::cluster_name cluster;
  std::string why;       ///< A sentence for people, which names volume and place.
  affinity_terms nodes;  ///< The nodes of the cluster that reach all of them.

  friend bool operator==(const volume_place&, const volume_place&) = default;
};

/// The part of a job that the round looks at. Jobs with equal shapes share one object.
struct job_shape {
  resource_list requests;
  label_list node_selector;
  affinity_terms affinity;  ///< Empty: no required affinity.
  std::vector<toleration> tolerations;
  std::string priority_class;
  /// The field that backend `process` cannot carry out ("podSpec.volumes"), or empty.
  std::string process_obstacle;
  /// What was learnt when runs came back; at most one for each cluster.
  std::vector<volume_place> volumes{};
  std::vector<std::string> attached{};  ///< What it has of "services" and "ingresses".

  friend bool operator==(const job_shape&, const job_shape&) = default;
};

/// Jobs of one queue with the same id form a gang, which starts as a whole.
struct gang_info {
  std::string id;
  std::uint32_t cardinality = 1;
  std::uint32_t minimum_cardinality = 1;
  std::string uniformity_label;  ///< Empty: members may run anywhere.

  friend bool operator==(const gang_info&, const gang_info&) = default;
};

/// What happens to a job whose lease is over without word from its agent.
enum class lease_policy : std::uint8_t {
  requeue_after_lease,         ///< It queues again; the lease horizon has passed.
  requeue_after_confirmation,  ///< It waits until the agent confirms the end of the run.
  fail,
};

/// What has to become of a job before another one that waits for it may start.
enum class dependency_condition : std::uint8_t { succeeded, ended, failed, started };

/// As annotations and files write them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> dependency_condition_names{"succeeded", "ended",
                                                                            "failed", "started"};

struct job_dependency {
  ulid job;  ///< It is in the same queue.
  dependency_condition when = dependency_condition::succeeded;

  friend bool operator==(const job_dependency&, const job_dependency&) = default;
};

/// What is known of a job at submission. The GATEWAY makes it, and it never changes but for the
/// shape.
struct job_header {
  ulid id;
  model::queue_name queue;
  std::string job_set;
  std::string name_space;
  std::string owner;
  std::string client_id;  ///< Empty: not deduplicated.
  /// The hash of the submitted item, which tells a retry from another body.
  std::uint64_t body_hash = 0;
  std::uint32_t priority = 0;     ///< The priority as submitted; a smaller number goes first.
  std::int64_t submitted_ns = 0;  ///< Unix time.
  std::int64_t grace_seconds = 1;
  std::int64_t deadline_seconds = 0;  ///< Largest run time; 0: none.
  /// The policy that the job asked for instead of the configured one.
  std::optional<lease_policy> on_lease_expiry;
  /// Its runs go on while the agent is out of contact, however long, and are adopted again. Such a
  /// job waits for the agent's word, whatever the policy.
  bool keep_on_disconnect = false;
  bool fail_fast = false;      ///< No retry policy has it tried again.
  bool held = false;           ///< It begins held, by its owner.
  bool hold_if_unfit = false;  ///< It is never rejected because no pool could take it.
  /// Whether it is queued again when the scheduler or a drain ends its run; nothing: as configured.
  std::optional<bool> requeue_if_preempted;
  /// It is held, and not cancelled, when a job for which it waits ends otherwise than it needs.
  bool hold_if_unmet = false;
  std::string name{};  ///< For people; not unique. Empty: it has none.
  /// The jobs for which it waits; null: it waits for none.
  std::shared_ptr<const std::vector<job_dependency>> after{};
  /// It is that of the submission until a retry policy asks for other nodes or more memory.
  std::shared_ptr<const job_shape> shape;
  std::shared_ptr<const gang_info> gang;  ///< Null for a job on its own.
  /// The encoded argosy.log.v1.JobSpec: everything that the user wrote.
  std::shared_ptr<const std::string> spec;
  trace_context trace;  ///< The trace of the submission that made the job.
};

enum class job_state : std::uint8_t {
  queued,
  leased,
  pending,
  running,
  succeeded,
  failed,
  preempted,
  cancelled,
  rejected,
};

[[nodiscard]] std::string_view to_string(job_state state) noexcept;

[[nodiscard]] constexpr bool is_terminal(job_state state) noexcept {
  return state >= job_state::succeeded;
}

/// Whether a job can have a reason while it is in the state. A reason says why a run is being
/// stopped or why the job ended; the rules of the ledger clear it when the job waits again or has
/// succeeded.
[[nodiscard]] constexpr bool can_have_reason(job_state state) noexcept {
  return state != job_state::queued && state != job_state::succeeded;
}

enum class run_state : std::uint8_t {
  leased,
  pending,
  running,
  succeeded,
  failed,
  preempted,
  cancelled,
  lease_returned,
  lease_expired,
};

[[nodiscard]] std::string_view to_string(run_state state) noexcept;

[[nodiscard]] constexpr bool is_terminal(run_state state) noexcept {
  return state >= run_state::succeeded;
}

/// Identifies one attempt to run a job. Run numbers start at 1 and only grow.
struct run_key {
  ulid job;
  std::uint32_t number = 0;

  friend auto operator<=>(const run_key&, const run_key&) = default;
};

/// "01h...-2"; run ids of the API are derived from it.
[[nodiscard]] std::string to_string(const run_key& key);

/// It says how one container of a run ended.
struct container_end {
  std::string name;
  std::int32_t exit_code = 0;
  std::string reason;   ///< As run_outcome::reason.
  std::string message;  ///< One sentence for people.

  friend bool operator==(const container_end&, const container_end&) = default;
};
/// At most so many containers of a run are told of.
inline constexpr std::size_t container_ends_max = 32;

/// How a process ended.
struct run_outcome {
  std::optional<std::int32_t> exit_code;  ///< 0..255; 128 + signal when killed; nothing: unknown.
  std::int32_t signal = 0;                ///< 0: not killed by a signal.
  std::string reason;   ///< One word for machines: "Error", "DeadlineExceeded", "OOMKilled"...
  std::string message;  ///< One sentence for people.
  /// "CATEGORY" or "CATEGORY/SUBCATEGORY" as a rule of the agent's cluster says; empty: no rule
  /// said anything, and it follows from the other fields. Of a refused run: model::refusal_to_all.
  std::string category{};
  /// The containers whose ends are known, in the order of the pod; only for a run that failed.
  std::vector<container_end> containers{};
  /// The nodes of its cluster that reach the volumes of the job; outside_of() its cluster (see
  /// affinity.hpp) if what the job asks for is missing there. Empty: nothing is known.
  affinity_terms reach{};

  friend bool operator==(const run_outcome&, const run_outcome&) = default;
};

/// It says what is known of the pod that carries a run out, which comes when the pod is made.
struct pod_facts {
  using address_list = std::vector<std::pair<std::int32_t, std::string>>;
  std::string uid;  ///< Empty: not known, or there is no pod.
  /// Each of its ports is reached there from outside, in the order of the ports: at "host" of an
  /// ingress, or at "host:port" of a node.
  address_list addresses{};

  [[nodiscard]] bool empty() const noexcept { return uid.empty() && addresses.empty(); }
  friend bool operator==(const pod_facts&, const pod_facts&) = default;
};

/// It says what the pod of a run used: resources and quantities as its cluster wrote them, since
/// they may be finer than the amounts that are counted here.
struct run_usage {
  label_list peak;     ///< The most at a time since the report before.
  label_list average;  ///< Since the report before.
  label_list total;    ///< Since the run began, such as seconds of processor time.

  [[nodiscard]] bool empty() const noexcept {
    return peak.empty() && average.empty() && total.empty();
  }
  friend bool operator==(const run_usage&, const run_usage&) = default;
};

/// One attempt, as the queue keeps it.
struct run_record {
  std::uint32_t number = 0;
  run_state state = run_state::leased;
  model::cluster_name cluster;
  model::node_name node;
  model::pool_name pool;
  std::int32_t scheduled_at_priority = 0;
  std::uint64_t round = 0;
  std::int64_t leased_ns = 0;
  std::int64_t pending_ns = 0;
  std::int64_t started_ns = 0;
  std::int64_t finished_ns = 0;
  run_outcome outcome;
  std::string note;  ///< What the user should know about how it ran; parts divided by "; ".
  pod_facts pod{};

  friend bool operator==(const run_record&, const run_record&) = default;
};

/// Why a live run is being stopped; the job ends accordingly once the end of the run is reported.
enum class stop_cause : std::uint8_t {
  none,
  cancel,
  preempt,
  requeue,  ///< The job's gang could not start or lost a member; all of it queues again.
};

/// "cancel", "preempt" or "requeue"; empty for none.
[[nodiscard]] std::string_view to_string(stop_cause why) noexcept;

/// Somebody holds a queued job back, so that no round looks at it.
struct job_hold {
  std::string by;
  std::string reason;
  std::int64_t since_ns = 0;  ///< Unix time.
  /// Nobody holds it back: no pool could take it, even if all of its nodes were empty.
  bool blocked = false;
  bool waits = false;  ///< For other jobs, see job_header::after; `by` is empty then.

  friend bool operator==(const job_hold&, const job_hold&) = default;
};

/// "2026-05-02 14:23:18 UTC", of Unix time.
[[nodiscard]] std::string utc_text(std::int64_t time_ns);
/// "held by alice since 2026-05-02 14:23:18 UTC: the input is wrong"; of a blocked job the reason.
[[nodiscard]] std::string to_string(const job_hold& hold);
/// Whether somebody holds it back. A blocked job, and one that waits for others, is held by nobody.
[[nodiscard]] inline bool is_held(const std::shared_ptr<const job_hold>& hold) noexcept {
  return hold && !hold->blocked && !hold->waits;
}

/// Whether no round may look at it.
[[nodiscard]] inline bool is_kept_back(const std::shared_ptr<const job_hold>& hold) noexcept {
  return hold && !hold->blocked;
}
/// "BLOCKED", "WAITS_FOR_JOBS" or "HELD", for programs.
[[nodiscard]] std::string_view code_of(const job_hold& hold) noexcept;

/// The whole state of one job. Owned by its QUEUE while it lives, then only stored.
struct job_record {
  std::shared_ptr<const job_header> header;
  job_state state = job_state::queued;
  std::uint32_t priority = 0;  ///< The priority in force; at first that of the header.
  stop_cause stopping = stop_cause::none;
  bool comes_back = false;  ///< Its run is being preempted, and it is queued again then.
  std::int64_t changed_ns = 0;
  std::vector<run_record> runs;  ///< Oldest first; the last one may be live.
  std::string reason;            ///< Why it ended, or why it is being stopped.
  std::string requestor;         ///< Who asked for the cancellation.
  ulid preemptor;                ///< The job that took the room; nil when unknown.
  /// Null: nobody holds it back. Only queued jobs are held, and of a gang all that wait or none.
  std::shared_ptr<const job_hold> hold;

  [[nodiscard]] const run_record* live_run() const noexcept {
    return runs.empty() || is_terminal(runs.back().state) ? nullptr : &runs.back();
  }
};

}  // namespace argosy::model

template <>
struct std::hash<argosy::model::run_key> {
  std::size_t operator()(const argosy::model::run_key& key) const noexcept {
    return std::hash<argosy::ulid>{}(key.job) * 31 + key.number;
  }
};
