// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retry/retry_core.hpp"

#include <algorithm>

namespace argosy::ledger {

retry_decision decide_retry(const model::retry_policy* first, const failed_run& run,
                            const retry_settings& settings) {
  if (!settings.enabled) return {false, {}, "retry policies are off"};
  if (first == nullptr) return {false, {}, "its queue has no retry policy"};
  if (run.in_gang) return {false, {}, "members of gangs are not tried again"};
  if (run.fail_fast) return {false, {}, "it fails fast"};
  const auto name = "retry policy '" + first->name + "'";
  const auto fits = [&](const model::retry_rule& rule) {
    return rule.category == run.kind.category &&
           (rule.subcategory.empty() || rule.subcategory == run.kind.subcategory);
  };
  const auto found = std::ranges::find_if(first->rules, fits);
  std::optional<std::size_t> rule;
  if (found != first->rules.end()) rule = static_cast<std::size_t>(found - first->rules.begin());
  const auto action = rule ? found->action : first->otherwise;
  if (action == model::retry_action::fail) return {false, rule, name + " lets it fail"};
  const auto limit = std::min(first->limit, settings.limit_max);
  if (run.retries >= limit)
    return {false, rule,
            name + " allows " + std::to_string(limit) + (limit == 1 ? " retry" : " retries")};
  return {true, rule, name + " has it tried again"};
}

}  // namespace argosy::ledger
