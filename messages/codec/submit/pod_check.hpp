// SPDX-License-Identifier: Apache-2.0
// The checks of a pod spec, in the order in which Armada makes them: the first that fails counts.
// `place` is where the pod spec stands, for example "job_request_items[3].pod_spec".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "messages/codec/submit/limits.hpp"
#include "messages/proto/k8s/pod.pb.h"
#include "runtime/base/result.hpp"

namespace argosy::codec {

using quantity_map =
    google::protobuf::Map<std::string, k8s::io::apimachinery::pkg::api::resource::Quantity>;
namespace core = k8s::io::api::core::v1;

/// The bytes of a qualified label name: a DNS prefix, a slash, 63 characters.
inline constexpr std::size_t key_size_max = 317;

/// Checks containers, affinity, resources, priority class, grace period and deadline.
[[nodiscard]] result<void> check_pod(const core::PodSpec& pod, const submit_limits& limits,
                                     const std::string& place);

/// Checks that no container port occurs twice.
[[nodiscard]] result<void> check_pod_ports(const core::PodSpec& pod, const std::string& place);

/// Checks tolerations, and all else that must be readable for the scheduling shape.
[[nodiscard]] result<void> check_pod_tolerations(const core::PodSpec& pod,
                                                 const submit_limits& limits,
                                                 const std::string& place);

/// The amount that `quantity` stands for. Fails with ec::invalid_argument, beginning with `place`,
/// for a resource that is not in the limits, and for an amount that parse_quantity() refuses or
/// that is over model::request_max.
[[nodiscard]] result<std::int64_t> read_amount(const std::string& resource,
                                               const std::string& quantity,
                                               const submit_limits& limits,
                                               const std::string& place);

/// A failure at a place: "PLACE: WHY".
[[nodiscard]] inline failure refuse_at(const std::string& place, const std::string& why) {
  return fail(ec::invalid_argument, place + ": " + why);
}

/// Checks the restart policies of the pod and its containers. Argosy decides on retries, so that
/// they are not carried out, but one that does not exist is a mistake.
[[nodiscard]] result<void> check_restart_policies(const core::PodSpec& pod,
                                                  const std::string& place);

}  // namespace argosy::codec
