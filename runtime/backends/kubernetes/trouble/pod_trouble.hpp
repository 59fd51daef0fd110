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
#include "runtime/backends/rules/trouble_rules.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::backends {

/// What a trouble leads to; the greater one counts.
enum class trouble_action : std::uint8_t {
  none,
  note,       ///< The user is told what the run waits for.
  give_back,  ///< The pod is deleted, and the job may run elsewhere.
  fail,       ///< The pod is deleted, and the run has failed.
};

/// The names of the objects that the agent's own settings give to pods. If a node does not know
/// such a runtime class, or such a secret is not there, that is no fault of a job.
struct own_objects {
  std::vector<std::string> runtime_classes{};
  std::vector<std::string> pull_secrets{};
};

/// What the agent has seen of one pod, and since when.
struct trouble_facts {
  const pod_view* pod = nullptr;
  const pod_events* events = nullptr;
  const node_state* node = nullptr;  ///< Null: nothing is wrong with its node.
  const own_objects* own = nullptr;  ///< Null: nothing.
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
  bool is_missing = false;             ///< What it waits for may be in another cluster.
};

[[nodiscard]] pod_trouble check_pod(const trouble_facts& facts, const trouble_rules& rules,
                                    boot_time now);

/// What the user is told when a trouble of this kind is over; empty: nothing.
[[nodiscard]] std::string trouble_over(const std::string& kind);

}  // namespace argosy::backends
