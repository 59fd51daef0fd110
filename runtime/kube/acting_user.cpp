// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/acting_user.hpp"

namespace argosy::kube {

namespace {

constexpr const char* own_prefix = "system:";

}  // namespace

void act_as(const acting_user& who, request& what) {
  if (who.name.empty()) return;
  what.user = who.name;
  for (const auto& group : who.groups)
    if (!group.empty() && !group.starts_with(own_prefix)) what.groups.push_back(group);
}

result<void> may_act_as(const acting_user& who) {
  if (who.name.empty())
    return fail(ec::denied,
                "the job has no owner in whose name its pod could be made "
                "(kubernetes.impersonateUsers)");
  if (who.name.starts_with(own_prefix) && !who.name.starts_with("system:serviceaccount:"))
    return fail(ec::denied, "nothing is made in the name of '" + who.name +
                                "', which is a user of Kubernetes itself");
  return {};
}

}  // namespace argosy::kube
