// SPDX-License-Identifier: Apache-2.0
// What a kubelet in memory makes of a pod: the words "echo", "exit" and "sleep" of the first
// container's command for a shell are played, and everything else does nothing and succeeds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace argosy::testing {

struct pod_script {
  std::string node;  ///< Where the pod is to run.
  std::string container;
  std::string output;
  int exit_code = 0;
  bool goes_on = false;  ///< It sleeps until it is killed.

  /// The states of the pod, as the kubelet or the scheduler would write them.
  [[nodiscard]] nlohmann::json unplaced() const;
  [[nodiscard]] nlohmann::json running() const;
  [[nodiscard]] nlohmann::json ended(int code) const;
};

[[nodiscard]] pod_script read_script(const nlohmann::json& pod);

}  // namespace argosy::testing
