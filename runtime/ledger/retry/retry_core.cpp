// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retry/retry_core.hpp"

#include <algorithm>
#include <array>

#include "runtime/model/agent_run.hpp"

namespace argosy::ledger {

failure_kind kind_of(const model::run_record& run) {
  const auto& outcome = run.outcome;
  if (run.state == model::run_state::lease_expired) return {"internal", "lease-expired"};
  if (outcome.reason == "DeadlineExceeded") return {"internal", "active-deadline"};
  if (outcome.reason == model::reason_lost) return {"internal", "pod-missing"};
  const auto code = outcome.exit_code ? std::to_string(*outcome.exit_code) : std::string{};
  if (outcome.reason == "OOMKilled") return {"oom", code};
  static constexpr std::array users{1, 2, 126, 127};
  if (outcome.exit_code && std::ranges::find(users, *outcome.exit_code) != users.end())
    return {"user_error", code};
  return {"error", code};
}

retry_decision decide_retry(const retry_policy* first, const failed_run& run,
                            const retry_settings& settings) {
  if (!settings.enabled) return {false, {}, "retry policies are off"};
  if (first == nullptr) return {false, {}, "its queue has no retry policy"};
  if (run.in_gang) return {false, {}, "members of gangs are not tried again"};
  if (run.fail_fast) return {false, {}, "it fails fast"};
  const auto name = "retry policy '" + first->name + "'";
  const auto fits = [&](const retry_rule& rule) {
    return rule.category == run.kind.category &&
           (rule.subcategory.empty() || rule.subcategory == run.kind.subcategory);
  };
  const auto found = std::ranges::find_if(first->rules, fits);
  std::optional<std::size_t> rule;
  if (found != first->rules.end()) rule = static_cast<std::size_t>(found - first->rules.begin());
  const auto action = rule ? found->action : first->otherwise;
  if (action == retry_action::fail) return {false, rule, name + " lets it fail"};
  const auto limit = std::min(first->limit, settings.limit_max);
  if (run.retries >= limit)
    return {false, rule,
            name + " allows " + std::to_string(limit) + (limit == 1 ? " retry" : " retries")};
  return {true, rule, name + " has it tried again"};
}

}  // namespace argosy::ledger
