// SPDX-License-Identifier: Apache-2.0
// An event that Kubernetes tells of a pod, such as that a volume cannot be mounted. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"

namespace argosy::backends {

struct pod_event {
  std::string name_space;
  std::string pod;
  std::string uid;  ///< The uid of the pod; empty if the event does not say it.
  bool is_warning = false;
  std::string reason;   ///< One word: "FailedMount".
  std::string message;  ///< At most 1,000 bytes.
  boot_time seen{};     ///< When the agent heard of it last.

  friend bool operator==(const pod_event&, const pod_event&) = default;
};

/// Reads an object of kind Event; nothing if it is of no pod.
[[nodiscard]] std::optional<pod_event> read_event(const nlohmann::json& event);

/// The events of one pod: the last one of each reason, and of few reasons.
class pod_events {
 public:
  /// Returns whether that is news. That it is told again is none.
  bool add(pod_event event);
  /// The oldest first.
  [[nodiscard]] const std::vector<pod_event>& all() const noexcept { return events_; }
  /// Null: no warning has come.
  [[nodiscard]] const pod_event* last_warning() const noexcept;

 private:
  std::vector<pod_event> events_;
};

}  // namespace argosy::backends
