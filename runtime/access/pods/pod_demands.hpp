// SPDX-License-Identifier: Apache-2.0
// What a pod has that a policy may not allow, read from Kubernetes' JSON. The controls are those of
// the Pod Security Standards of Kubernetes 1.36, and what a policy names besides. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::access {

enum class pod_control : std::uint8_t {
  // These are not allowed from the level baseline on.
  host_process,
  host_namespace,
  privileged,
  capability,
  host_path,
  host_port,
  probe_host,
  app_armor,
  se_linux,
  proc_mount,
  seccomp,
  sysctl,
  annotation,  ///< Any that is not Argosy's or Armada's own.
  // These are not allowed at the level restricted.
  volume_type,
  escalation,
  root,
  root_user,
  seccomp_unset,
  kept_capabilities,
  added_capability,
  // These have nothing to do with the level.
  name_space,
  service_account,
  device,      ///< An extended resource, or a claim of one.
  csi_driver,  ///< The driver of a volume that the pod alone has.
  service,     ///< "NodePort", "Headless" or "Ingress".
  runtime_class,
  priority_class,
};

struct pod_demand {
  pod_control control{};
  std::string place{};  ///< The field within the spec: "containers[0].securityContext.privileged".
  std::string value{};  ///< What stands there; empty: nothing does.
  /// Whether the pod has it because it says nothing, so that harden_pod() mends it.
  bool silent = false;

  friend bool operator==(const pod_demand&, const pod_demand&) = default;
};

/// The demands of a pod's spec, in the order of its fields. What is of another type than Kubernetes
/// has it counts as what is not allowed.
[[nodiscard]] std::vector<pod_demand> demands_of_spec(const nlohmann::json& spec);

/// The demands of a whole pod: of its namespace, its annotations and its spec, whose places begin
/// with "podSpec.".
[[nodiscard]] std::vector<pod_demand> demands_of_pod(const nlohmann::json& pod);

/// The demands of a service or an ingress as Kubernetes has them. A service within the cluster that
/// has an address of its own makes none.
[[nodiscard]] std::vector<pod_demand> demands_of_attached(const nlohmann::json& object);

/// Whether the pod says that it is for Windows, to which some controls do not apply.
[[nodiscard]] bool is_windows_pod(const nlohmann::json& spec);

}  // namespace argosy::access
