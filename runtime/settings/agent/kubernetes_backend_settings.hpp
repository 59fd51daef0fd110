// SPDX-License-Identifier: Apache-2.0
// The settings of an agent whose runs are pods of a Kubernetes cluster.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/backends/rules/kubernetes_rules.hpp"
#include "runtime/settings/agent/pod_default_settings.hpp"
#include "runtime/settings/field_table.hpp"
#include "runtime/settings/value.hpp"

namespace argosy::settings {

/// Whether the agent is one of several replicas of which one acts.
enum class leader_election : std::uint8_t { automatic, always, never };
[[nodiscard]] std::span<const std::string_view> enum_names(leader_election);

struct kubernetes_backend_settings {
  std::string kubeconfig;
  std::string context;
  backends::kubernetes_rules rules;
  std::vector<pod_default_settings> pod_defaults;
  bool lapse = false;  ///< Whether pods end when their lease lapses.
  std::uint32_t qps = 500;
  std::uint32_t burst = 1'000;
  leader_election election = leader_election::automatic;
  std::string lease_name;
  std::string lease_namespace;
  std::chrono::milliseconds lease_duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

/// What is wrong with these settings as a whole.
void check_kubernetes(const kubernetes_backend_settings& item, problem_list& problems);
void describe(field_table& table, kubernetes_backend_settings& item);

}  // namespace argosy::settings
