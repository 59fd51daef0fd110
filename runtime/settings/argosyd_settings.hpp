// SPDX-License-Identifier: Apache-2.0
// All settings of argosyd. config/argosyd.yaml documents every one with its default.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/model/lease_policy.hpp"
#include "runtime/settings/scheduling_settings.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

struct cycle_settings {
  std::chrono::milliseconds period{1'000};
  std::chrono::milliseconds gap_min{20};
  std::chrono::milliseconds round_timeout{300'000};
};

struct journal_settings {
  byte_size batch_bytes{512 << 10};
  byte_size waiting_bytes_max{64 << 20};
  std::chrono::milliseconds publish_timeout{5'000};
  std::uint32_t replicas = 1;
  byte_size log_bytes_max{std::uint64_t{64} << 30};
};

struct store_settings {
  byte_size map_size{std::uint64_t{64} << 30};
  std::chrono::milliseconds event_retention{std::chrono::hours{7 * 24}};
  std::chrono::milliseconds job_retention{std::chrono::hours{7 * 24}};
};

struct lease_settings {
  std::chrono::milliseconds length{600'000};
  double clock_drift = 0.01;
  std::chrono::milliseconds kill_grace{30'000};
  std::chrono::milliseconds margin{5'000};
  model::lease_policy on_expiry = model::lease_policy::requeue_after_lease;
  std::uint32_t returns_max = 3;
};

struct agents_settings {
  std::chrono::milliseconds heartbeat{5'000};
  std::chrono::milliseconds silence_max{15'000};
  std::chrono::milliseconds resend_after{5'000};
  std::chrono::milliseconds compare_period{30'000};
  double quarantine_threshold = 2.0;
  std::chrono::milliseconds quarantine_period{600'000};
};

struct leader_settings {
  std::chrono::milliseconds heartbeat{1'000};
  std::chrono::milliseconds takeover{30'000};
};

/// Tolerations that jobs get by something that they name.
struct named_tolerations {
  std::string name;
  std::vector<toleration_settings> tolerations;
};

struct api_settings {
  byte_size request_bytes_max{8 << 20};
  std::uint32_t jobs_per_request_max = 100'000;
  std::uint32_t pod_spec_bytes_max = 65'535;
  std::uint32_t job_set_bytes_max = 1'023;
  std::uint32_t client_id_bytes_max = 100;
  std::uint32_t reason_bytes_max = 50;
  byte_size metadata_bytes_max{256 << 10};
  std::uint32_t live_jobs_per_queue_max = 2'000'000;
  std::uint32_t gang_cardinality_max = 6'000;
  std::uint32_t watches_max = 10'000;
  std::uint32_t query_items_max = 500;
  std::chrono::milliseconds client_id_retention{std::chrono::hours{168}};
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
  cycle_settings cycle;
  journal_settings journal;
  store_settings store;
  lease_settings leases;
  agents_settings agents;
  leader_settings leader;
  api_settings api;
  scheduling_settings scheduling;
  /// A fixed port, since it is known before argosyd runs; with --dev any free one.
  health_settings health{"127.0.0.1:9480"};
  logging_settings logging;
  tracing_settings tracing;
};

void describe(field_table& table, named_tolerations& item);
void describe(field_table& table, argosyd_settings& item);
/// Rules between keys.
void check(const argosyd_settings& item, problem_list& problems);

}  // namespace argosy::settings
