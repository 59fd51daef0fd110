// SPDX-License-Identifier: Apache-2.0
// What a submission may ask for and what is filled in. Filled from the configuration by whoever
// owns the decoder; the defaults are those of Armada's server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/model/job.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::codec {

struct submit_limits {
  std::size_t items_max = 100'000;         ///< Jobs in one request.
  std::size_t pod_spec_size_max = 65'535;  ///< Bytes of one encoded pod spec.
  std::size_t job_set_size_max = 1'023;    ///< Bytes.
  std::size_t client_id_size_max = 100;    ///< Bytes.
  std::size_t attachments_max = 100;       ///< Ingress and service configurations of one job.
  /// Bytes of all labels and annotations of one job.
  std::size_t metadata_size_max = 256 * 1024;
  /// Bytes of one job's specification as its agent gets it, `{JobId}` replaced.
  std::size_t spec_size_max = 1024 * 1024;

  /// Resources that a pod may name; any other is refused.
  std::map<std::string, model::resource_unit> resources{
      {"cpu", model::resource_unit::milli},
      {"memory", model::resource_unit::byte},
      {"ephemeral-storage", model::resource_unit::byte},
      {"nvidia.com/gpu", model::resource_unit::piece}};
  model::resource_list requests_min{{"memory", 1LL << 20}};  ///< Per container.
  /// Limit over request, by resource; 1 for those not named.
  std::map<std::string, double> oversubscription_max;
  bool init_cpu_fractional = true;  ///< Init containers must not ask for whole cores.

  std::vector<std::string> priority_classes{"armada-default", "armada-preemptible"};
  std::int64_t grace_seconds_min = 1;
  std::int64_t grace_seconds_max = 300;
  std::vector<std::string> restricted_toleration_keys;

  // Defaults.
  std::string priority_class = "armada-default";
  std::int64_t deadline_seconds = 72 * 3600;
  /// For jobs that request the resource; the largest counts.
  std::map<std::string, std::int64_t> deadline_seconds_by_resource{{"nvidia.com/gpu", 336 * 3600}};
  model::resource_list container_requests{
      {"cpu", 1000}, {"ephemeral-storage", 8LL << 30}, {"memory", 1LL << 30}};
  std::vector<model::toleration> tolerations{
      {"armadaproject.io/armada", false, "true", "NoSchedule"}};
  std::map<std::string, std::vector<model::toleration>> tolerations_by_class;
  std::map<std::string, std::vector<model::toleration>> tolerations_by_resource;
  bool gang_id_label = false;         ///< Copy the gang id into a label of the pod.
  std::string gang_uniformity_label;  ///< For gangs that name none.
};

}  // namespace argosy::codec
