// SPDX-License-Identifier: Apache-2.0
// How a part of a pod's output is asked for, and what the answer says. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/backends/kubernetes/output/log_lines.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

/// Where the output of a run is.
struct pod_place {
  std::string name_space;
  std::string name;
  std::string container;  ///< Empty: the only one.
  bool ended = false;
  std::string node{};         ///< Empty: it is not known.
  std::string queue{};        ///< The queue of the run; empty: its pod names none.
  std::string silence{};      ///< As silence_of() its node; empty: nothing is known.
  std::int64_t began_ns = 0;  ///< When its container began; 0: that is not known.
  log_beginning beginning{};
};

/// The statuses of an output that has not begun and of one that is gone.
inline constexpr int output_not_yet = 400;
inline constexpr int output_gone = 404;
/// The status of an output that the agent has no right to read.
inline constexpr int output_denied = 403;

/// How long whoever reads an output waits for its kubelet: less than he waits for the agent.
inline constexpr std::chrono::seconds output_wait{20};
/// The error that he gets from a kubelet which has given nothing for so long.
[[nodiscard]] error kubelet_late(const std::string& node,
                                 std::chrono::seconds waited = output_wait);

/// Asks for the lines of the output with their times.
[[nodiscard]] kube::request output_request(const pod_place& place);
/// A time as it stands in such a request, in whole seconds, of which it is the beginning.
[[nodiscard]] std::string query_time(std::int64_t unix_ns);
/// Why there is no such output, in the server's words; nothing if it came, or has not begun: an
/// output of a container that `ended` without one will not come. Fails with ec::not_found then and
/// if the pod is gone, with ec::denied, with ec::invalid_argument for a container that the pod does
/// not have, and with ec::unavailable.
[[nodiscard]] std::optional<error> output_trouble(const result<kube::answer>& answer, bool ended);

/// Asks for the first bytes of the output.
[[nodiscard]] kube::request output_request(const pod_place& place, std::uint64_t bytes_max);

/// Kubernetes gives output from its beginning only, so that all before the offset is read as well.
/// Fails with ec::too_large beyond 64 MiB.
[[nodiscard]] result<kube::request> output_request(const pod_place& place,
                                                   const model::log_request& wanted);

/// What the server has answered to that request. Fails with ec::not_found if the pod is gone, and
/// with ec::unavailable.
[[nodiscard]] result<model::log_chunk> output_of(const pod_place& place,
                                                 const model::log_request& wanted,
                                                 const result<kube::answer>& answer);

}  // namespace argosy::backends
