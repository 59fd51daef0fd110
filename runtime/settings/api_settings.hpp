// SPDX-License-Identifier: Apache-2.0
// This file declares the section `api` of argosyd's settings: what requests of users may contain,
// and what jobs get that leave something out.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/model/server_limits.hpp"
#include "runtime/settings/scheduling_settings.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

struct argosyd_settings;

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
  /// When this is empty, jobs may name all of scheduling.priorityClasses.
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

void describe(field_table& table, named_tolerations& item);
/// The section also sets limits of queues and the retention of client ids.
void describe_api(field_table& table, argosyd_settings& item);
/// Checks the rules between keys of this section, and with those of the section `scheduling`.
void check_api(const argosyd_settings& item, problem_list& problems);

}  // namespace argosy::settings
