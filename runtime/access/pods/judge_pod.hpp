// SPDX-License-Identifier: Apache-2.0
// Whether a policy allows what a pod has, and what a pod that says nothing gets. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/access/pods/pod_demands.hpp"
#include "runtime/access/pods/pod_policy.hpp"

namespace argosy::access {

struct pod_refusal {
  std::string place;  ///< The field that is not allowed, as in pod_demand.
  std::string why;    ///< A sentence without the place: what it is, and by which key it is allowed.
};

/// What the policy does not allow, in the order of the demands. `queue` is the job's; `holder` says
/// where the policy is changed, as "api.podPolicies of argosyd". Silent demands count.
[[nodiscard]] std::vector<pod_refusal> judge_pod(const std::vector<pod_demand>& demands,
                                                 const pod_policy& policy, const std::string& queue,
                                                 const std::string& holder);

/// The refusals as one text: "PLACE: WHY; not allowed either: PLACE, PLACE". Each place has
/// `prefix` before it. There must be one at least.
[[nodiscard]] std::string text_of(const std::vector<pod_refusal>& refusals,
                                  const std::string& prefix);

/// Fills in what a pod leaves open and its policy's level wants. From baseline on that is the
/// runtime's seccomp profile, and the loss of the capabilities that some runtimes never give;
/// at restricted it is also the loss of all capabilities, no escalation of privileges, and users
/// other than root. What the pod says stays, and so do pods for Windows. `spec` is an object.
void harden_pod(nlohmann::json& spec, const pod_policy& policy);

}  // namespace argosy::access
