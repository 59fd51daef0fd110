// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retry/failure_category.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/model/agent_run.hpp"

namespace argosy::ledger {

namespace {

/// The categories of ends that have a word of their own. Exit codes and signals say nothing more
/// about these.
constexpr std::array<std::pair<std::string_view, failure_category>, 31> by_reason = {{
    {"OOMKilled", {"oom", ""}},
    {model::reason_storage_exceeded, {"storage", ""}},
    {"DeadlineExceeded", {"internal", "active-deadline"}},
    {"LeaseExpired", {"internal", "lease-expired"}},
    {model::reason_lost, {"internal", "pod-missing"}},
    {model::reason_backend_error, {"internal", "job-creation-failed"}},
    {"NotStarted", {"internal", "job-creation-failed"}},
    {model::reason_unsupported, {"user_error", "not-allowed"}},
    {model::reason_user_not_allowed, {"user_error", "not-allowed"}},
    {model::reason_cluster_refused, {"internal", "job-creation-failed"}},
    {model::reason_refused_here, {"internal", "job-creation-failed"}},
    {model::reason_submission_refused, {"user_error", "submission-refused"}},
    {model::reason_quota_exceeded, {"quota", ""}},
    {model::reason_cannot_begin, {"user_error", "cannot-begin"}},
    {model::reason_evicted, {"internal", "evicted"}},
    {model::reason_evicted_on_request, {"internal", "evicted"}},
    {model::reason_displaced, {"internal", "displaced"}},
    {model::reason_node_shutdown, {"internal", "node-shutdown"}},
    {model::reason_node_gone, {"internal", "pod-missing"}},
    {model::reason_deleted, {"internal", "externally-deleted"}},
    {"ErrImagePull", {"image", "pull"}},
    {"ImagePullBackOff", {"image", "pull"}},
    {"ErrImageNeverPull", {"image", "pull"}},
    {"RegistryUnavailable", {"image", "pull"}},
    {"ImageInspectError", {"image", "pull"}},
    {"SignatureValidationFailed", {"image", "pull"}},
    {"InvalidImageName", {"image", "name"}},
    {"CreateContainerConfigError", {"user_error", "container"}},
    {"CreateContainerError", {"user_error", "container"}},
    {"RunContainerError", {"user_error", "container"}},
    {"InitDeadlineExceeded", {"user_error", "init-deadline"}},
}};

/// The category that a rule of the agent's cluster gave.
failure_category split(std::string_view category) {
  const auto slash = category.find('/');
  if (slash == std::string_view::npos) return {category, {}};
  return {category.substr(0, slash), category.substr(slash + 1)};
}

}  // namespace

failure_category category_of(const model::run_outcome& outcome) noexcept {
  if (!outcome.category.empty()) return split(outcome.category);
  const auto* found = std::find_if(by_reason.begin(), by_reason.end(),
                                   [&](const auto& each) { return each.first == outcome.reason; });
  if (found != by_reason.end()) return found->second;
  if (outcome.signal != 0) return {"user_error", "signal"};
  if (outcome.exit_code.value_or(0) != 0) return {"user_error", ""};
  return {};
}

}  // namespace argosy::ledger
