// SPDX-License-Identifier: Apache-2.0
// What a pod's object says about the run that it carries out. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

/// The labels and annotations by which an agent finds its pods again.
namespace pod_key {
inline constexpr const char* run = "argosy.io/run";          ///< "<job id>-<run number>"
inline constexpr const char* cluster = "argosy.io/cluster";  ///< The agent's cluster.
inline constexpr const char* control_plane = "argosy.io/control-plane";
inline constexpr const char* owner = "armada_owner";  ///< The annotation that names the owner.
/// The annotation that says that the run needs no lease.
inline constexpr const char* keep_on_disconnect = "argosy.io/keep-on-disconnect";
}  // namespace pod_key

/// Outcome reasons that this backend gives besides those of containers.
namespace pod_reason {
inline constexpr const char* deleted = "Deleted";  ///< Somebody else deleted the pod.
inline constexpr const char* evicted = "Evicted";
inline constexpr const char* preempted = "PreemptedByKubernetes";
inline constexpr const char* node_shutdown = "NodeShutdown";
}  // namespace pod_reason

/// Why a pod that has not begun does not begin.
enum class pod_wait : std::uint8_t {
  nothing,    ///< It is being set up as it should be, or has begun.
  placement,  ///< Kubernetes' scheduler finds no node for it.
  kubelet,    ///< The kubelet of its node has said nothing about it yet.
  image,      ///< An image cannot be pulled.
  container,  ///< A container cannot be made.
};

struct pod_view {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string node;       ///< Where it is bound; empty: nowhere yet.
  std::string container;  ///< The first container, whose output is the run's.
  std::optional<model::run_key> run;
  std::string cluster;
  std::string control_plane;
  std::string owner;
  bool keep_on_disconnect = false;
  std::int64_t grace_seconds = 30;
  bool deleting = false;  ///< Somebody has asked for its deletion.

  model::run_phase phase = model::run_phase::pending;
  model::run_outcome outcome;  ///< Set once the pod has ended.
  bool began = false;          ///< A container has run, or may have.
  pod_wait wait = pod_wait::nothing;
  std::string wait_reason;   ///< One word: "ImagePullBackOff".
  std::string wait_message;  ///< One sentence for people.
  /// Unix time. It is not known of images and containers, before which others may have come.
  std::int64_t waits_since_ns = 0;
  std::int64_t started_ns = 0;
  std::int64_t finished_ns = 0;
};

/// Reads any object; what it does not say stays empty.
[[nodiscard]] pod_view read_pod(const nlohmann::json& pod);

/// Reads "<job id>-<run number>".
[[nodiscard]] std::optional<model::run_key> parse_run_key(const std::string& text);

}  // namespace argosy::backends
