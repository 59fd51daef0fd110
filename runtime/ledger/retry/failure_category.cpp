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
constexpr std::array<std::pair<std::string_view, failure_category>, 9> by_reason = {{
    {"OOMKilled", {"oom", ""}},
    {model::reason_storage_exceeded, {"storage", ""}},
    {"DeadlineExceeded", {"internal", "active-deadline"}},
    {"LeaseExpired", {"internal", "lease-expired"}},
    {model::reason_lost, {"internal", "pod-missing"}},
    {model::reason_backend_error, {"internal", "job-creation-failed"}},
    {"NotStarted", {"internal", "job-creation-failed"}},
    {"Unsupported", {"user_error", "not-allowed"}},
    {model::reason_user_not_allowed, {"user_error", "not-allowed"}},
}};

}  // namespace

failure_category category_of(const model::run_outcome& outcome) noexcept {
  const auto* found = std::find_if(by_reason.begin(), by_reason.end(),
                                   [&](const auto& each) { return each.first == outcome.reason; });
  if (found != by_reason.end()) return found->second;
  if (outcome.signal != 0) return {"user_error", "signal"};
  if (outcome.exit_code.value_or(0) != 0) return {"user_error", ""};
  return {};
}

}  // namespace argosy::ledger
