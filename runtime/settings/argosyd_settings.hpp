// SPDX-License-Identifier: Apache-2.0
// All settings of argosyd. config/argosyd.yaml documents every one with its default. Where a part
// of the program has a struct for what is set, settings hold that struct, and it travels whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/ledger/cluster/cluster_effect.hpp"
#include "runtime/ledger/cycle_core.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/ledger/node_core.hpp"
#include "runtime/ledger/queue/queue_command.hpp"
#include "runtime/ledger/retention.hpp"
#include "runtime/model/lease_policy.hpp"
#include "runtime/model/server_limits.hpp"
#include "runtime/settings/scheduling_settings.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

struct journal_settings {
  model::log_limits limits;
  std::chrono::milliseconds publish_timeout{5'000};
  std::uint32_t replicas = 1;
  byte_size log_bytes_max{std::uint64_t{64} << 30};
};

/// Tolerations that jobs get by something that they name.
struct named_tolerations {
  std::string name;
  std::vector<toleration_settings> tolerations;
};

struct api_settings {
  model::request_limits limits;
  std::uint32_t jobs_per_request_max = 100'000;
  std::uint32_t pod_spec_bytes_max = 65'535;
  std::uint32_t job_set_bytes_max = 1'023;
  std::uint32_t client_id_bytes_max = 100;
  byte_size metadata_bytes_max{256 << 10};
  std::chrono::milliseconds grace_min{1'000};
  std::chrono::milliseconds grace_max{300'000};
  amount_list requests_min{{"memory", 1 << 20}};
  number_list oversubscription_max;
  bool init_cpu_fractional = true;
  /// Empty: all of scheduling.priorityClasses.
  std::vector<std::string> priority_classes;
  std::vector<std::string> restricted_toleration_keys;
  amount_list default_requests{
      {"cpu", 1'000}, {"memory", 1 << 30}, {"ephemeral-storage", std::int64_t{8} << 30}};
  std::chrono::milliseconds default_deadline{std::chrono::hours{72}};
  duration_list default_deadline_by_resource{{"nvidia.com/gpu", std::chrono::hours{336}}};
  std::vector<toleration_settings> default_tolerations{
      {"armadaproject.io/armada", toleration_operator::equal, "true", "NoSchedule"}};
  std::vector<named_tolerations> tolerations_by_class;
  std::vector<named_tolerations> tolerations_by_resource;
  bool add_gang_id_label = false;
};

struct argosyd_settings {
  std::string data_dir = "/var/lib/argosy";
  nats_settings nats;
  ledger::cycle_times cycle;
  journal_settings journal;
  byte_size store_map_size{std::uint64_t{64} << 30};
  /// The rules that the sections `leases`, `agents`, `store` and `api` set.
  ledger::queue_config queues;
  ledger::cluster_config clusters;
  ledger::node_config nodes;
  ledger::retention_config retention;
  ledger::leader_times leader;
  api_settings api;
  scheduling_settings scheduling;
  /// The port is fixed, so that it is known before argosyd runs; with --dev any free one is taken.
  health_settings health{"127.0.0.1:9480"};
  logging_settings logging;
  tracing_settings tracing;
};

void describe(field_table& table, named_tolerations& item);
void describe(field_table& table, argosyd_settings& item);
/// Checks the rules between keys.
void check(const argosyd_settings& item, problem_list& problems);

}  // namespace argosy::settings
