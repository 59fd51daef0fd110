// SPDX-License-Identifier: Apache-2.0
// What keeps a node of a cluster from taking work although nobody has closed it. The taints of the
// node say it: those that Kubernetes gives nodes by itself, and one that the agent gives.
#pragma once

#include <string>

#include "runtime/model/node.hpp"

namespace argosy::model {

/// Kubernetes has not heard of the node's kubelet.
inline constexpr const char* silent_kubelet_taint = "node.kubernetes.io/unreachable";
/// The kubelet says of itself that it is not ready.
inline constexpr const char* unready_kubelet_taint = "node.kubernetes.io/not-ready";
/// The node lacks the label by which its agent places pods; the value is the label's name.
inline constexpr const char* unlabelled_taint = "argosy.io/unlabelled";

/// The trouble as a clause with its remedy; empty: there is none.
[[nodiscard]] std::string trouble_of(const node_info& node);

}  // namespace argosy::model
