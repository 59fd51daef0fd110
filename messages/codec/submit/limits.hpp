// SPDX-License-Identifier: Apache-2.0
// This file declares what the decoders of submissions and queues need to know. Its owner fills this
// from the configuration; the defaults here are those of Armada's server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::codec {

/// The names that limits of queues may use.
struct limit_names {
  std::vector<std::string> resources;
  std::vector<std::string> priority_classes;
};

struct submit_limits {
  model::submission_rules rules;
  /// The number of ingress and service configurations of one job.
  std::size_t attachments_max = 100;
  /// The bytes of one job's specification as its agent gets it, with `{JobId}` replaced.
  std::size_t spec_size_max = 1024 * 1024;

  /// Resources that a pod may name; any other is refused.
  std::map<std::string, model::resource_unit> resources{
      {"cpu", model::resource_unit::milli},
      {"memory", model::resource_unit::byte},
      {"ephemeral-storage", model::resource_unit::byte},
      {"nvidia.com/gpu", model::resource_unit::piece}};
  std::vector<std::string> priority_classes{"armada-default", "armada-preemptible"};
  std::string priority_class = "armada-default";  ///< The class of jobs that name none.

  /// Limits of queues may use these names. Without them they may use any, as with Armada.
  std::optional<limit_names> limits_of_queues{
      limit_names{{"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"},
                  {"armada-default", "armada-preemptible"}}};

  // Tolerations that jobs get besides their own.
  std::vector<model::toleration> tolerations{model::default_toleration};
  std::map<std::string, std::vector<model::toleration>> tolerations_by_class;
  std::map<std::string, std::vector<model::toleration>> tolerations_by_resource;
  /// What pods may have, by queue.
  std::vector<access::pod_policy> pod_policies{};
  std::string gang_uniformity_label;  ///< The uniformity label of gangs that name none.
};

/// The whole seconds in which a pod spec gives a time.
[[nodiscard]] constexpr std::int64_t seconds_of(std::chrono::milliseconds time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

}  // namespace argosy::codec
