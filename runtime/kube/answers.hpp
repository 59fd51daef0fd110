// SPDX-License-Identifier: Apache-2.0
// What an answer of the API server means to whoever wanted something made or deleted. Pure.
#pragma once

#include <string>

#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::kube {

/// What a request failed with, as the API server words it: "pods is forbidden: ...".
[[nodiscard]] std::string server_message(const answer& from);

/// Whether the server may say something else to the same request soon, by its status: it is not
/// ready, has too much to do, or does not know who asks.
[[nodiscard]] bool is_passing(const answer& from);

/// Whether a request that has not succeeded may have taken effect all the same.
[[nodiscard]] bool may_have_worked(const result<answer>& from);

}  // namespace argosy::kube
