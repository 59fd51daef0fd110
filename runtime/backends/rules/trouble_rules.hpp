// SPDX-License-Identifier: Apache-2.0
// This file declares the rules that the operator of a cluster sets for pods in trouble: for
// how long they may wait, which errors are for good, and into which categories failures are sorted.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/pattern.hpp"

namespace argosy::backends {

/// What is done with the run of a pod that waits: it fails, or is given back.
enum class check_action : std::uint8_t { fail, retry };
[[nodiscard]] std::span<const std::string_view> enum_names(check_action);
enum class event_type : std::uint8_t { warning, normal };
[[nodiscard]] std::span<const std::string_view> enum_names(event_type);
enum class container_state : std::uint8_t { waiting, terminated };
[[nodiscard]] std::span<const std::string_view> enum_names(container_state);
/// What is done with a run for which the quota of its namespace has no room.
enum class quota_action : std::uint8_t { retry, fail };
[[nodiscard]] std::span<const std::string_view> enum_names(quota_action);

/// What is done about a pod that waits.
struct check_rule {
  pattern expression{};
  bool inverse = false;  ///< It holds where the expression does not.
  /// It does nothing until the pod has waited for so long.
  std::chrono::milliseconds grace_period{0};
  check_action action = check_action::fail;
};
/// It looks at the messages of the pod's events of one type.
struct event_check {
  check_rule rule{};
  event_type type = event_type::warning;
};
/// It looks at the reasons of containers that wait, or have terminated.
struct container_check {
  check_rule rule{};
  container_state state = container_state::waiting;
};

/// It sorts failed runs. It holds if everything that it has holds; one that has nothing holds
/// always. An empty expression is none.
struct failure_rule {
  std::string category;       ///< A word; with `subcategory` it is run_outcome::category.
  std::string subcategory{};  ///< May be empty.
  std::string hint{};         ///< What the user can do; it is added to the message. May be empty.
  // These look at one ended container, which all of them have to fit.
  std::string container_name{};                    ///< Empty: any container.
  std::vector<std::uint32_t> exit_codes_in{};      ///< It has one of these codes.
  std::vector<std::uint32_t> exit_codes_not_in{};  ///< It failed, with none of these codes.
  pattern termination_message{};
  // These look at the run.
  std::vector<std::string> reasons{};  ///< The run, its pod or one of its containers has one.
  pattern pod_error{};                 ///< The message of the run's end has this.
  pattern pod_event{};                 ///< The message of one of its pod's events has this.
};

/// An image whose name is none never comes.
[[nodiscard]] std::vector<container_check> container_checks_default();

struct trouble_rules {
  /// How long something may last before the user is told of it.
  std::chrono::milliseconds note_after{10'000};
  /// How long a pod may wait for an image, or for a container to be made.
  std::chrono::milliseconds image_wait{300'000};
  /// How long Kubernetes may look for a place for a pod.
  std::chrono::milliseconds node_wait{300'000};
  /// How long the kubelet of its node may say nothing of a pod.
  std::chrono::milliseconds kubelet_wait{300'000};
  /// How long a volume may be missing, or not be mounted.
  std::chrono::milliseconds volume_wait{300'000};
  /// How long containers may be in the making while nothing is known against them; 0: for ever.
  std::chrono::milliseconds start_wait{3'600'000};
  /// How long a pod may be pending until its init containers have ended; 0: for ever.
  std::chrono::milliseconds init_wait{300'000};
  /// How long after its grace period a pod that was deleted may be there before the user is told,
  /// and it is deleted again.
  std::chrono::milliseconds ending_wait{30'000};
  /// How long after its deadline and grace period a pod may run.
  std::chrono::milliseconds deadline_wait{30'000};
  /// How long the creation of a pod is tried.
  std::chrono::milliseconds create_wait{60'000};
  /// Whether the events of pods are followed, if the agent has the right to list them.
  bool follow_events = true;
  /// The first rule that fits counts, of each event and of each container.
  std::vector<event_check> event_checks{};
  std::vector<container_check> container_checks = container_checks_default();
  /// Errors whose message has one of these are for good, whatever their status.
  std::vector<pattern> fatal_submission_errors{};
  quota_action on_quota_exceeded = quota_action::retry;
  std::vector<failure_rule> failure_rules{};
};

}  // namespace argosy::backends
