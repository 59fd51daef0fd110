// SPDX-License-Identifier: Apache-2.0
// What becomes of a run whose pod the API server does not take: for good, or for now. Pure.
#pragma once

#include <string>

#include "runtime/backends/rules/trouble_rules.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/model/job.hpp"

namespace argosy::backends {

enum class refusal_kind : std::uint8_t {
  clash,     ///< A pod has the name already, perhaps the run's own.
  for_now,   ///< The same request may succeed soon.
  here,      ///< This cluster does not take it, which is no fault of the job; asking is no use.
  for_good,  ///< It is wrong for every cluster; the job fails.
};

struct refusal {
  refusal_kind kind = refusal_kind::for_now;
  const char* reason = "";  ///< The outcome's reason.
  std::string message;      ///< The server's words.
  /// One of model::refusal_to_all, if the server would refuse every run of the namespace, or those
  /// of a part of it, "rights/@"; or model::refusal_above_quota.
  std::string category{};
  model::affinity_terms reach{};  ///< As that of the outcome.
  /// A policy or a webhook says so and no quota; it may be about what the agent adds.
  bool by_admission = false;
  bool is_missing = false;  ///< What the pod names is not in this cluster; another may have it.
};

/// What becomes of the run by a refusal that is for good: what a policy or a webhook of this
/// cluster refuses another cluster may take.
[[nodiscard]] refusal settled(refusal why);

/// Judges an answer that is no success to the creation of a pod, or of what belongs to it. If the
/// agent acts for users, a right that is missing is one that the job's owner lacks.
[[nodiscard]] refusal judge_refusal(const kube::answer& answer, const trouble_rules& rules,
                                    bool acts_for_users = false);

}  // namespace argosy::backends
