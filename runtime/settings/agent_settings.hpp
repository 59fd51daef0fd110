// SPDX-License-Identifier: Apache-2.0
// All settings of argosy-agent. config/agent.yaml documents every one with its default.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/backends/rules/process_limits.hpp"
#include "runtime/backends/rules/sim_defaults.hpp"
#include "runtime/settings/agent/container_settings.hpp"
#include "runtime/settings/agent/kubernetes_backend_settings.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

enum class backend_kind : std::uint8_t { process, simulated, kubernetes, container };

struct backend_entry {
  std::string_view name;
  std::string_view what;  ///< What it does with jobs.
};
/// The backends, in the order of backend_kind.
inline constexpr auto known_backends =
    std::to_array<backend_entry>({{"process", "runs their commands on this machine"},
                                  {"simulated", "has virtual nodes on which jobs only take time"},
                                  {"kubernetes", "makes a pod of each in a Kubernetes cluster"},
                                  {"container", "runs images and commands on this machine"}});
/// "process runs their commands on this machine, simulated ...".
[[nodiscard]] std::string backends_text();
[[nodiscard]] std::span<const std::string_view> enum_names(backend_kind);

struct process_settings {
  std::string node_name;
  amount_list capacity;
  label_list labels;
  std::vector<taint_settings> taints;
  std::string uid_range = "2000000-2065535";
  id_list allowed_users;
  id_list allowed_groups;
  backends::process_limits limits;
};

/// A kind of virtual node.
struct node_template {
  /// The beginning of the nodes' names, to which a number is appended.
  std::string name;
  std::uint32_t count = 1;
  amount_list resources;
  label_list labels;
  std::vector<taint_settings> taints;
};

struct simulated_settings {
  std::vector<node_template> nodes;
  backends::sim_defaults runs;

  simulated_settings();
};

struct agent_settings {
  std::string cluster;
  std::string pool = "default";
  backend_kind backend = backend_kind::process;
  std::string data_dir = "/var/lib/argosy-agent";
  nats_settings nats;
  std::chrono::milliseconds heartbeat{5'000};
  std::uint32_t reports_per_batch = 500;
  process_settings process;
  simulated_settings simulated;
  kubernetes_backend_settings kubernetes;
  container_settings container;
  health_settings health;
  logging_settings logging;
  tracing_settings tracing;

  /// The settings of each backend that has any.
  auto of_backends() { return std::tie(process, container, simulated, kubernetes); }
};

void describe(field_table& table, node_template& item);
void describe(field_table& table, process_settings& item);
void describe(field_table& table, simulated_settings& item);
void describe(field_table& table, agent_settings& item);
/// Checks the rules between keys. The program itself checks for an empty cluster, since it may get
/// the name from a flag.
void check(const agent_settings& item, problem_list& problems);

}  // namespace argosy::settings
