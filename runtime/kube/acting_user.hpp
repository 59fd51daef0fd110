// SPDX-License-Identifier: Apache-2.0
// In whose name a request is made, where that is not the agent's own.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::kube {

struct acting_user {
  std::string name{};
  std::vector<std::string> groups{};
};

/// Makes the request in the user's name; without a name it stays the agent's. Kubernetes' own
/// groups are left out: they are for the API server to give.
void act_as(const acting_user& who, request& what);

/// Fails with ec::denied for a user in whose name nothing may be made: one without a name, or one
/// of Kubernetes' own that is no service account.
[[nodiscard]] result<void> may_act_as(const acting_user& who);

}  // namespace argosy::kube
