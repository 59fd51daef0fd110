// SPDX-License-Identifier: Apache-2.0
// Tells who is to blame that a pod did not begin: what its own job asks for must never speak
// against the node, or one user could have every node set aside. Pure.
#pragma once

#include <string_view>

namespace argosy::backends {

/// Gives the reason of a run whose pod the kubelet refused with this word:
/// model::reason_unsupported where no kubelet takes it, model::reason_refused_here where another
/// may, and model::reason_backend_error for everything else, since Argosy thinks that the node has
/// room.
[[nodiscard]] const char* reason_of_kubelet(std::string_view word);

/// Gives the reason of a run for whose pod Kubernetes finds no place, by Kubernetes' sentence:
/// model::reason_refused_here where the job asks for something that is not a node's, such as a
/// volume, and model::reason_backend_error for everything else.
[[nodiscard]] const char* reason_of_no_place(std::string_view sentence);

}  // namespace argosy::backends
