// SPDX-License-Identifier: Apache-2.0
// The part of a pod specification that running it as one process needs. Decoded from the stored
// job specification by messages/codec; read by the backends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/job.hpp"

namespace argosy::model {

/// What a backend needs to know of a job to run it.
enum class plan_contents : std::uint8_t {
  whole,
  annotations,  ///< Only the annotations, which say how a simulated run behaves.
  pod,          ///< Nothing of the plan, but the manifest of a pod.
};

/// User ids, both ends included.
struct id_range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  friend bool operator==(const id_range&, const id_range&) = default;
};

/// Reads "2000000-2065535". Nothing for any other text, for a range with 0, and for one with
/// 4294967295, which the kernel takes for "no change".
[[nodiscard]] std::optional<id_range> parse_id_range(std::string_view text);

struct process_plan {
  std::vector<std::string> argv;  ///< Command and args, references to variables expanded.
  label_list env;                 ///< The whole environment; names are unique.
  std::string container;          ///< The name of the container whose command it is.
  std::string working_dir;        ///< Empty: the run's folder.
  label_list annotations;
  std::optional<std::uint32_t> user;  ///< The user id to run as; nothing: the agent's own.
  std::optional<std::uint32_t> group;
  bool non_root = false;  ///< Must not run as user 0.
  /// The field that backend `process` cannot carry out ("podSpec.volumes"), or empty.
  std::string obstacle;

  friend bool operator==(const process_plan&, const process_plan&) = default;
};

}  // namespace argosy::model
