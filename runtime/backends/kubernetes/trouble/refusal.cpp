// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/refusal.hpp"

#include <algorithm>

#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/kube/answers.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

namespace {

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// The status of a refusal is 403 for several things that have nothing to do with one another.
refusal_kind kind_of_forbidden(const std::string& message, bool acts_for_users) {
  // The agent lacks the right itself, which the operator of the cluster has to give it.
  if (has(message, "cannot impersonate")) return refusal_kind::here;
  if (!acts_for_users && has(message, "cannot create resource")) return refusal_kind::here;
  if (has(message, "because it is being terminated")) return refusal_kind::for_now;
  return refusal_kind::for_good;
}

}  // namespace

refusal judge_refusal(const kube::answer& answer, const refusal_rules& rules, bool acts_for_users) {
  refusal out{refusal_kind::for_good, model::reason_submission_refused,
              kube::server_message(answer)};
  const auto& said = out.message;
  if (answer.status == http_conflict && has(said, "already exists")) {
    out.kind = refusal_kind::clash;
    return out;
  }
  if (std::ranges::any_of(rules.fatal, [&](const pattern& each) { return each.is_in(said); }))
    return out;
  const bool is_quota = has(said, "exceeded quota") || has(said, "resourcequotas");
  // The namespace may be made soon, and two changes at once are no fault of either.
  if (kube::is_passing(answer) || answer.status == http_not_found || answer.status == http_conflict)
    out.kind = refusal_kind::for_now;
  else if (answer.status == http_forbidden)
    out.kind = is_quota ? refusal_kind::for_now : kind_of_forbidden(said, acts_for_users);
  if (is_quota && has(said, "exceeded quota") && rules.quota_is_fatal) {
    out.kind = refusal_kind::for_good;
    out.reason = model::reason_quota_exceeded;
  }
  if (out.kind != refusal_kind::for_good) out.reason = model::reason_cluster_refused;
  return out;
}

}  // namespace argosy::backends
