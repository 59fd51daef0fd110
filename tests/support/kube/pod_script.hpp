// SPDX-License-Identifier: Apache-2.0
// What a kubelet in memory makes of a pod: the words "echo", "exit" and "sleep" of the first
// container's command for a shell are played, and everything else does nothing and succeeds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace argosy::testing {

struct pod_script {
  std::string container;
  std::string output;
  int exit_code = 0;
  bool goes_on = false;  ///< It sleeps until it is ended.

  /// The states of the pod, as the kubelet writes them at this time.
  [[nodiscard]] nlohmann::json running(const std::string& time) const;
  [[nodiscard]] nlohmann::json ended(int code, const std::string& time) const;
  /// It waits for this reason, which the kubelet gives with these words.
  [[nodiscard]] nlohmann::json waiting(const std::string& reason, const std::string& message) const;
};

[[nodiscard]] pod_script read_script(const nlohmann::json& pod);

}  // namespace argosy::testing
