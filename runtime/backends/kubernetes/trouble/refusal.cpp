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

/// The account of the pod is not there, which is not to be confused with that of the agent, whose
/// name stands in what is said of missing rights.
bool misses_account(const std::string& said) {
  return has(said, "error looking up service account");
}

/// What is said of the namespace, and not of the run; empty if nothing is.
const char* category_of(const kube::answer& answer, const std::string& said, bool acts_for_users) {
  namespace to_all = model::refusal_to_all;
  if (has(said, "cannot impersonate")) return to_all::rights;
  // The agent lacks the right itself, which the operator of the cluster has to give it.
  if (!acts_for_users && has(said, "cannot create resource")) return to_all::rights;
  if (has(said, "exceeded quota")) return to_all::quota;
  if (has(said, "because it is being terminated")) return to_all::name_space;
  if (answer.status == http_not_found && has(said, "namespaces \"")) return to_all::name_space;
  // A namespace that was made just now has none of its own yet.
  if (misses_account(said) && has(said, "/default: ")) return to_all::name_space;
  // A webhook speaks of the pod, whatever its status, and a pod may name a wrong account.
  const bool of_pod = has(said, "denied the request") || misses_account(said);
  if (kube::is_passing(answer) && !of_pod) return to_all::server;
  return "";
}

/// The status of a refusal is 403 for several things that have nothing to do with one another.
refusal_kind kind_of(const kube::answer& answer, const std::string& said, const char* category) {
  const std::string_view to_all{category};
  if (has(said, "failed calling webhook")) return refusal_kind::here;
  if (to_all == model::refusal_to_all::server) return refusal_kind::for_now;
  if (!to_all.empty()) return refusal_kind::here;
  // An account of the pod's own may be about to be made.
  if (misses_account(said)) return refusal_kind::for_now;
  // Two changes at once are no fault of either.
  const bool passes = kube::is_passing(answer) || answer.status == http_not_found ||
                      answer.status == http_conflict || has(said, "resourcequotas");
  return passes ? refusal_kind::for_now : refusal_kind::for_good;
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
  out.category = category_of(answer, said, acts_for_users);
  out.kind = kind_of(answer, said, out.category);
  if (rules.quota_is_fatal && has(said, "exceeded quota")) {
    out.kind = refusal_kind::for_good;
    out.reason = model::reason_quota_exceeded;
  }
  if (out.kind != refusal_kind::for_good)
    out.reason = model::reason_cluster_refused;
  else
    out.category = "";
  return out;
}

}  // namespace argosy::backends
