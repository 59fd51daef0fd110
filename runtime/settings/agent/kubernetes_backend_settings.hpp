// SPDX-License-Identifier: Apache-2.0
// The settings of an agent whose runs are pods of a Kubernetes cluster.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/field_table.hpp"
#include "runtime/settings/value.hpp"

namespace argosy::settings {

/// How a pod is bound to the node that the round chose.
enum class pod_placement : std::uint8_t { selector, node_name };
[[nodiscard]] std::span<const std::string_view> enum_names(pod_placement);

struct kubernetes_backend_settings {
  std::string kubeconfig;
  std::string context;
  std::vector<std::string> namespaces;
  pod_placement placement = pod_placement::selector;
  std::string node_label = "kubernetes.io/hostname";
  std::vector<std::string> tracked_labels;
  std::string priority_class;
  bool impersonate_users = false;
  std::string ingress_host_suffix;
  std::string ingress_certificate_suffix;
  label_list ingress_annotations;
  bool count_other_pods = true;
  std::chrono::milliseconds image_wait{300'000};
  std::chrono::milliseconds node_wait{300'000};
  std::chrono::milliseconds keep_pods{600'000};
  std::uint32_t keep_pods_max = 1'000;
};

void describe_kubernetes(field_table& table, kubernetes_backend_settings& item);

}  // namespace argosy::settings
