// SPDX-License-Identifier: Apache-2.0
// This file declares what a submission may ask for, and which defaults are filled in. The owner of
// the decoder fills this from the configuration; the defaults here are those of Armada's server.
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
  std::size_t items_max = 100'000;         ///< The number of jobs in one request.
  std::size_t pod_spec_size_max = 65'535;  ///< The bytes of one encoded pod spec.
  std::size_t job_set_size_max = 1'023;    ///< The bytes of a job set id.
  std::size_t client_id_size_max = 100;    ///< The bytes of a client id.
  /// The number of ingress and service configurations of one job.
  std::size_t attachments_max = 100;
  /// The bytes of all labels and annotations of one job.
  std::size_t metadata_size_max = 256 * 1024;
  /// The bytes of one job's specification as its agent gets it, with `{JobId}` replaced.
  std::size_t spec_size_max = 1024 * 1024;

  /// Resources that a pod may name; any other is refused.
  std::map<std::string, model::resource_unit> resources{
      {"cpu", model::resource_unit::milli},
      {"memory", model::resource_unit::byte},
      {"ephemeral-storage", model::resource_unit::byte},
      {"nvidia.com/gpu", model::resource_unit::piece}};
  /// The least request of each container.
  model::resource_list requests_min{{"memory", 1LL << 20}};
  /// The highest ratio of limit to request by resource; 1 for resources that are not named.
  std::map<std::string, double> oversubscription_max;
  bool init_cpu_fractional = true;  ///< True: init containers must not ask for whole cores.

  std::vector<std::string> priority_classes{"armada-default", "armada-preemptible"};
  std::int64_t grace_seconds_min = 1;
  std::int64_t grace_seconds_max = 300;
  std::vector<std::string> restricted_toleration_keys;

  // The defaults that are filled in.
  std::string priority_class = "armada-default";
  std::int64_t deadline_seconds = 72 * 3600;
  /// The deadline of jobs that request the resource; the largest one counts.
  std::map<std::string, std::int64_t> deadline_seconds_by_resource{{"nvidia.com/gpu", 336 * 3600}};
  model::resource_list container_requests{
      {"cpu", 1000}, {"ephemeral-storage", 8LL << 30}, {"memory", 1LL << 30}};
  std::vector<model::toleration> tolerations{
      {"armadaproject.io/armada", false, "true", "NoSchedule"}};
  std::map<std::string, std::vector<model::toleration>> tolerations_by_class;
  std::map<std::string, std::vector<model::toleration>> tolerations_by_resource;
  bool gang_id_label = false;         ///< True: the gang id is copied into a label of the pod.
  std::string gang_uniformity_label;  ///< The uniformity label of gangs that name none.
};

}  // namespace argosy::codec
