// SPDX-License-Identifier: Apache-2.0
// What pods of a queue may have, as an operator says it. The control plane asks it at submission
// and the agent before it makes the pod, each with its own settings and both by judge_pod(). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::access {

/// The levels of Kubernetes' Pod Security Standards, each stricter than the one before.
enum class pod_level : std::uint8_t { privileged, baseline, restricted };
[[nodiscard]] std::span<const std::string_view> enum_names(pod_level);

/// In lists of names a `*` stands for any characters. A list that is not empty says all that is
/// allowed, whatever the level; what an empty one means is said of each.
struct pod_policy {
  std::vector<std::string> queues{};  ///< The queues for which it holds; empty: all.
  pod_level level = pod_level::baseline;
  std::vector<std::string> namespaces{};  ///< Empty: all.
  /// Empty: all at the level privileged, and otherwise only `default`, which pods get that name
  /// none.
  std::vector<std::string> service_accounts{};
  /// Paths of the node, with all that is below them; empty: as the level says.
  std::vector<std::string> host_paths{};
  /// Some of "network", "pid" and "ipc"; empty: as the level says.
  std::vector<std::string> host_namespaces{};
  /// Ports of the node as "8080" or "8000-8100"; empty: as the level says.
  std::vector<std::string> host_ports{};
  std::vector<std::string> devices{};      ///< Extended resources, and claims by name; empty: all.
  std::vector<std::string> csi_drivers{};  ///< For volumes that are the pod's alone; empty: all.
  /// Some of "NodePort", "Headless" and "Ingress"; empty: all.
  std::vector<std::string> services{};
  /// Annotations of pods, services and ingresses; empty: all at the level privileged, and otherwise
  /// those that are not is_far_reaching().
  std::vector<std::string> annotations{};
  std::vector<std::string> runtime_classes{};   ///< Empty: all.
  std::vector<std::string> priority_classes{};  ///< Empty: all.

  friend bool operator==(const pod_policy&, const pod_policy&) = default;
};

/// The first policy that holds for the queue, or that of queues which none names: the level
/// baseline and nothing else.
[[nodiscard]] const pod_policy& policy_of(const std::vector<pod_policy>& policies,
                                          std::string_view queue);

/// What is wrong with a policy as it was written, with the name of the key; nothing: it is right.
[[nodiscard]] std::optional<std::string> fault_of(const pod_policy& policy);

/// Whether the list has a pattern that fits the whole text.
[[nodiscard]] bool fits_any(const std::vector<std::string>& patterns, std::string_view text);

/// Whether one of the paths is that of the node, or a folder above it. A path with ".." is below
/// none.
[[nodiscard]] bool holds_path(const std::vector<std::string>& paths, std::string_view path);

/// Whether the port is in one of the ranges.
[[nodiscard]] bool holds_port(const std::vector<std::string>& ranges, std::int64_t port);

}  // namespace argosy::access
