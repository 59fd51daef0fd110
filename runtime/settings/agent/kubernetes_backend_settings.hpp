// SPDX-License-Identifier: Apache-2.0
// The settings of an agent whose runs are pods of a Kubernetes cluster.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/settings/agent/pod_default_settings.hpp"
#include "runtime/settings/agent/pod_trouble_settings.hpp"
#include "runtime/settings/field_table.hpp"
#include "runtime/settings/value.hpp"

namespace argosy::settings {

/// How a pod is bound to the node that the round chose.
enum class pod_placement : std::uint8_t { selector, node_name };
[[nodiscard]] std::span<const std::string_view> enum_names(pod_placement);

/// Whether the agent is one of several replicas of which one acts.
enum class leader_election : std::uint8_t { automatic, always, never };
[[nodiscard]] std::span<const std::string_view> enum_names(leader_election);

struct kubernetes_backend_settings {
  std::string kubeconfig;
  std::string context;
  std::vector<std::string> namespaces;
  pod_placement placement = pod_placement::selector;
  std::string node_label = "kubernetes.io/hostname";
  std::vector<std::string> tracked_labels;
  std::string priority_class;
  bool impersonate_users = false;
  std::vector<access::pod_policy> pod_policies;
  std::vector<pod_default_settings> pod_defaults;
  std::string ingress_host_suffix;
  std::string ingress_certificate_suffix;
  std::string ingress_class;
  label_list ingress_annotations;
  bool count_other_pods = true;
  std::uint32_t qps = 500;
  std::uint32_t burst = 1'000;
  pod_trouble_settings trouble;
  std::chrono::milliseconds keep_pods{600'000};
  std::uint32_t keep_pods_max = 1'000;
  byte_size kept_output_per_run{1 << 20};
  byte_size kept_output_max{std::uint64_t{1} << 30};
  leader_election election = leader_election::automatic;
  std::string lease_name;
  std::string lease_namespace;
  std::chrono::milliseconds lease_duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

/// What is wrong with these settings as a whole.
void check_kubernetes(const kubernetes_backend_settings& item, problem_list& problems);
void describe_kubernetes(field_table& table, kubernetes_backend_settings& item);

}  // namespace argosy::settings
