// SPDX-License-Identifier: Apache-2.0
// All settings of argosyd. config/argosyd.yaml documents every one with its default. Where a part
// of the program has a struct for what is set, settings hold that struct, and it travels whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/ledger/cluster/cluster_effect.hpp"
#include "runtime/ledger/cycle_core.hpp"
#include "runtime/ledger/health/health_core.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/ledger/node_core.hpp"
#include "runtime/ledger/queue/queue_command.hpp"
#include "runtime/ledger/retention.hpp"
#include "runtime/model/lease.hpp"
#include "runtime/model/server_limits.hpp"
#include "runtime/scheduling/pool_state.hpp"
#include "runtime/settings/access/armada_settings.hpp"
#include "runtime/settings/api_settings.hpp"
#include "runtime/settings/scheduling_settings.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

/// Whose stores must have what is committed.
enum class commit_rule : std::uint8_t {
  local,    ///< That of the process that leads.
  standby,  ///< That of another plane as well, as soon as there are three.
};

struct journal_settings {
  commit_rule commit = commit_rule::local;
  model::log_limits limits;
  std::chrono::milliseconds publish_timeout{5'000};
  std::uint32_t replicas = 1;
  byte_size log_bytes_max{std::uint64_t{64} << 30};
  byte_size generation_bytes{std::uint64_t{8} << 30};
  boot_time generation_age = std::chrono::days{7};
  std::string key_file;  ///< Empty: log.key in the data directory.
};

[[nodiscard]] std::span<const std::string_view> enum_names(commit_rule);

struct argosyd_settings {
  std::string data_dir = "/var/lib/argosy";
  nats_settings nats;
  ledger::cycle_times cycle;
  scheduling::verification verify_rounds = scheduling::verification::sampled;
  journal_settings journal;
  byte_size store_map_size{std::uint64_t{64} << 30};
  /// The rules that the sections `leases`, `agents`, `store` and `api` set.
  ledger::queue_config queues;
  ledger::cluster_config clusters;
  ledger::node_config nodes;
  ledger::health_config health_rules;
  ledger::retention_config retention;
  bool audit = true;  ///< Whether calls that change something are recorded.
  ledger::leader_times leader;
  api_settings api;
  grpc_settings grpc;
  access_settings access;
  armada_settings armada_executors;
  rest_settings rest;
  scheduling_settings scheduling;
  /// The port is fixed, so that it is known before argosyd runs; with --dev any free one is taken.
  health_settings health{"127.0.0.1:9480"};
  logging_settings logging;
  tracing_settings tracing;
};

void describe(field_table& table, argosyd_settings& item);
/// Checks the rules between keys.
void check(const argosyd_settings& item, problem_list& problems);

}  // namespace argosy::settings
