// SPDX-License-Identifier: Apache-2.0
// What a pod's object says about the run that it carries out. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

/// The labels and annotations by which an agent finds its pods again.
namespace pod_key {
inline constexpr const char* run = "argosy.io/run";          ///< "<job id>-<run number>"
inline constexpr const char* cluster = "argosy.io/cluster";  ///< The agent's cluster.
inline constexpr const char* control_plane = "argosy.io/control-plane";
inline constexpr const char* queue = "argosy.io/queue";        ///< An annotation.
inline constexpr const char* job_set = "armada_jobset_id";     ///< An annotation.
inline constexpr const char* requests = "argosy.io/requests";  ///< An annotation: requests_text().
inline constexpr const char* owner = "armada_owner";     ///< The annotation that names the owner.
inline constexpr const char* lapse = "argosy.io/lapse";  ///< An annotation, "true" or not there.
}  // namespace pod_key

/// Outcome reasons that this backend gives besides those of containers.
namespace pod_reason {
inline constexpr const char* deleted = model::reason_deleted;
inline constexpr const char* evicted = model::reason_evicted;
inline constexpr const char* evicted_on_request = model::reason_evicted_on_request;
inline constexpr const char* preempted = model::reason_displaced;
inline constexpr const char* node_shutdown = model::reason_node_shutdown;
inline constexpr const char* node_gone = model::reason_node_gone;
/// The init containers have not ended in time.
inline constexpr const char* init_deadline = "InitDeadlineExceeded";
}  // namespace pod_reason

/// Why a pod that has not begun does not begin.
enum class pod_wait : std::uint8_t {
  nothing,    ///< It is being set up as it should be, or has begun.
  placement,  ///< Kubernetes' scheduler finds no node for it.
  kubelet,    ///< The kubelet of its node has said nothing about it yet.
  image,      ///< An image cannot be pulled.
  container,  ///< A container cannot be made.
  creating,   ///< Its containers are being made, and nothing is known against them.
};

/// How one container ended.
struct ended_container {
  std::string name;
  bool is_init = false;
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  std::string reason;
  std::string message;
  std::int64_t finished_ns = 0;
};
struct running_container {
  std::string name;
  std::int64_t began_ns = 0;
};
/// Why one container does not run yet.
struct waiting_container {
  std::string name;
  std::string reason;
  std::string message;
};

struct pod_view {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string version;       ///< Changes whenever anything of the object does.
  std::string node;          ///< Where it is bound; empty: nowhere yet.
  std::string node_address;  ///< Empty: it is not known yet.
  std::string container;     ///< The first container, whose output is the run's.
  std::string runtime_class;
  /// The resources of which it asks for more than it was made with: the cluster has added that.
  std::vector<std::string> added_requests;
  /// Set if the pod is labelled as that of a run, and called as its pod is.
  std::optional<model::run_key> run;
  std::int64_t created_ns = 0;
  std::string cluster;
  std::string control_plane;
  std::string queue;
  std::string job_set;
  std::string owner;
  std::int64_t grace_seconds = 30;
  std::int64_t deadline_seconds = 0;  ///< How long it may run; 0: for ever.
  bool deleting = false;              ///< Somebody has asked for its deletion.
  bool lapses = false;                ///< It ends when the lease of its agent lapses.

  model::run_phase phase = model::run_phase::pending;
  model::run_outcome outcome;  ///< Set once the pod has ended.
  std::string status_reason;   ///< Why Kubernetes says that the pod is as it is; one word.
  std::vector<ended_container> ended;
  std::vector<running_container> running;
  std::vector<waiting_container> waiting;
  /// Why somebody ends it from outside, as an outcome's reason and message; empty: nobody does, or
  /// it is not known.
  std::string ended_by;
  std::string ended_by_message;
  bool began = false;      ///< A container has run, or may have.
  bool init_open = false;  ///< It has init containers, of which one has not succeeded.
  pod_wait wait = pod_wait::nothing;
  std::string wait_reason;   ///< One word: "ImagePullBackOff".
  std::string wait_message;  ///< One sentence for people.
  /// Unix time. It is not known of images and containers, before which others may have come.
  std::int64_t waits_since_ns = 0;
  std::int64_t started_ns = 0;
  std::int64_t finished_ns = 0;
};

/// What the pod asks for in all, as an annotation keeps it: a JSON object of whole numbers.
[[nodiscard]] std::string requests_text(const nlohmann::json& pod);

/// Who has added what the pod asks for, as a sentence, if `said` is that there is too little of it:
/// "Insufficient cpu" of a scheduler, "OutOfcpu" of a kubelet. Else nothing: the node has less than
/// it offered.
[[nodiscard]] std::string added_by_cluster(const pod_view& pod, const std::string& said);

/// Reads any object; what it does not say stays empty.
[[nodiscard]] pod_view read_pod(const nlohmann::json& pod);

/// The run of a pod that is called as those of runs are, "armada-<job id>-<run number - 1>".
[[nodiscard]] std::optional<model::run_key> run_of_pod(const std::string& name);

/// How the pod of a run is called.
[[nodiscard]] std::string pod_of_run(const model::run_key& run);

/// Reads "<job id>-<run number>".
[[nodiscard]] std::optional<model::run_key> parse_run_key(const std::string& text);

}  // namespace argosy::backends
