// SPDX-License-Identifier: Apache-2.0
// Why a pod does not begin: whose fault each cause is, and how long it is waited for. What its own
// job asks for must never speak against a node or a cluster, or one user could have every node set
// aside. One table, read from the words of Kubernetes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace argosy::backends {

enum class fault : std::uint8_t {
  job,        ///< It asks for what cannot be; it would wait everywhere.
  missing,    ///< It asks for what this cluster does not have; another may have it.
  placement,  ///< It does not go together with this node; others may do.
  node,       ///< The node does not give what it offered, which concerns every job.
  cluster,    ///< Neither of them: Kubernetes itself does not do its part.
};

/// Who says why.
enum class said_by : std::uint8_t {
  scheduler,  ///< Kubernetes' scheduler in a sentence, or nobody in its place.
  kubelet,    ///< The kubelet that refuses a pod, in a word.
  container,  ///< A container that waits, in a word.
  mount,      ///< The warnings of a pod whose containers are being made, as "Reason: message".
};

/// Which of trouble_rules says how long it may last.
enum class cause_wait : std::uint8_t { nothing, node, kubelet, image, volume, making };

/// A row holds for what has both its texts, outside of quotation marks, in which names stand that a
/// job may have chosen. A text that begins with '^' has to be the beginning.
struct pod_cause {
  said_by who;
  std::string_view words;  ///< A row of empty words holds for everything that has no other row.
  std::string_view also;
  fault whose;
  cause_wait wait;
};

/// All rows; of those that hold the first counts.
[[nodiscard]] std::span<const pod_cause> pod_causes();

/// The row that counts. A scheduler speaks of all nodes at once: what keeps the pod from every node
/// counts before what is wrong with one, and that before what is wrong with nodes to which the pod
/// was not to go.
[[nodiscard]] const pod_cause& cause_of(said_by who, std::string_view text);

/// What is said of the pod, without what the scheduler says of preemption.
[[nodiscard]] std::string without_preemption(std::string_view text);

/// The reason of the run that ends by it, as model::run_outcome has it: `of_job` if its job is to
/// blame.
[[nodiscard]] const char* reason_of(fault whose, const char* of_job) noexcept;

}  // namespace argosy::backends
