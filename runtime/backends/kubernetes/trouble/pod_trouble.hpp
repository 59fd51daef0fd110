// SPDX-License-Identifier: Apache-2.0
// Whether a pod is in trouble: what it waits for, for how long it may, and what becomes of its run
// then. Pure: a function of what is known of pod, node and time. Times are CLOCK_BOOTTIME as the
// agent has seen things, so that clocks of other machines that are wrong do no harm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/kubernetes/trouble/node_state.hpp"
#include "runtime/backends/kubernetes/trouble/pod_event.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/pattern/pattern.hpp"

namespace argosy::backends {

/// What a trouble leads to; the greater one counts.
enum class trouble_action : std::uint8_t {
  none,
  note,       ///< The user is told what the run waits for.
  give_back,  ///< The pod is deleted, and the job may run elsewhere.
  fail,       ///< The pod is deleted, and the run has failed.
};

/// What is done about a pod that waits, by an operator's rule: `action` is give_back or fail.
struct check_rule {
  pattern expression;
  bool inverse = false;  ///< It holds where the expression does not.
  boot_time grace{};     ///< It does nothing until the pod has waited for so long.
  trouble_action action = trouble_action::fail;
};
/// It looks at the messages of the pod's events of one type.
struct event_check {
  check_rule rule;
  bool of_warnings = true;
};
/// It looks at the reasons of containers that wait, or have terminated.
struct container_check {
  check_rule rule;
  bool of_terminated = false;
};

struct trouble_limits {
  /// How long something may last before the user is told of it.
  boot_time note_after = std::chrono::seconds{10};
  /// How long Kubernetes may look for a place for a pod.
  boot_time node_wait = std::chrono::minutes{5};
  /// How long the kubelet of its node may say nothing of a pod.
  boot_time kubelet_wait = std::chrono::minutes{5};
  /// How long a pod may wait for an image, or for a container to be made.
  boot_time image_wait = std::chrono::minutes{5};
  /// How long a volume may be missing, or not be mounted.
  boot_time volume_wait = std::chrono::minutes{5};
  /// How long containers may be in the making while nothing is known against them; 0: for ever.
  boot_time start_wait = std::chrono::hours{1};
  /// How long a pod may be pending until its init containers have ended; 0: for ever.
  boot_time init_wait = std::chrono::minutes{5};
  /// How long after its grace period a pod that was deleted may be there.
  boot_time ending_wait = std::chrono::seconds{30};
  /// How long after its deadline and grace period a pod may run.
  boot_time deadline_wait = std::chrono::seconds{30};
  /// What the agent's own settings give to pods: that a node does not know such a runtime class, or
  /// that such a secret is not there, is no fault of a job.
  std::vector<std::string> own_runtime_classes{};
  std::vector<std::string> own_pull_secrets{};
  /// The first rule that fits counts, of each event and of each container.
  std::vector<event_check> events{};
  std::vector<container_check> containers{};
};

/// What the agent has seen of one pod, and since when.
struct trouble_facts {
  const pod_view* pod = nullptr;
  const pod_events* events = nullptr;
  const node_state* node = nullptr;  ///< Null: nothing is wrong with its node.
  boot_time node_since{};
  boot_time pending_since{};
  boot_time wait_since{};     ///< Since when it waits for what it waits for now.
  boot_time running_since{};  ///< Only set for a running pod.
  /// When the agent began to end the pod, and how long that may take.
  std::optional<boot_time> ending_since{};
  boot_time ending_grace{};
};

struct pod_trouble {
  trouble_action action = trouble_action::none;
  std::string kind;                    ///< One word; it stays the same as long as the trouble does.
  std::string reason;                  ///< The reason of the run's outcome if that ends by it.
  std::string message;                 ///< What has happened, what follows, and what can be done.
  boot_time again = boot_time::max();  ///< When the pod has to be looked at again.
  std::string category{};              ///< As refusal::category.
};

[[nodiscard]] pod_trouble check_pod(const trouble_facts& facts, const trouble_limits& limits,
                                    boot_time now);

/// What the user is told when a trouble of this kind is over; empty: nothing.
[[nodiscard]] std::string trouble_over(const std::string& kind);

}  // namespace argosy::backends
