// SPDX-License-Identifier: Apache-2.0
// The part of a pod specification that running it as one process needs. Decoded from the stored
// job specification by messages/codec; read by the backends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/job.hpp"

namespace argosy::model {

/// What a backend needs to know of a job to run it.
enum class plan_contents : std::uint8_t {
  whole,
  annotations,  ///< Only the annotations, which say how a simulated run behaves.
};

struct process_plan {
  std::vector<std::string> argv;  ///< Command and args, references to variables expanded.
  label_list env;                 ///< The whole environment; names are unique.
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
