// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/failure_rules.hpp"

#include <algorithm>

namespace argosy::backends {

namespace {

bool holds_of(const failure_rule& rule, const ended_container& one) {
  if (!rule.container_name.empty() && one.name != rule.container_name) return false;
  const auto has_code = [&](const std::vector<std::uint32_t>& codes) {
    return std::ranges::find(codes, one.exit_code,
                             [](std::uint32_t code) { return std::int64_t{code}; }) != codes.end();
  };
  if (!rule.exit_codes_in.empty() && !has_code(rule.exit_codes_in)) return false;
  if (!rule.exit_codes_not_in.empty() && (one.exit_code == 0 || has_code(rule.exit_codes_not_in)))
    return false;
  if (!rule.termination_message.empty()) return rule.termination_message.is_in(one.message);
  // A name alone means that this container failed.
  return !rule.exit_codes_in.empty() || one.exit_code != 0;
}

bool has_reason(const failure_rule& rule, const model::run_outcome& outcome, const pod_view* pod) {
  const auto listed = [&](const std::string& reason) {
    return std::ranges::find(rule.reasons, reason) != rule.reasons.end();
  };
  if (listed(outcome.reason)) return true;
  return pod != nullptr && (listed(pod->status_reason) ||
                            std::ranges::any_of(pod->ended, [&](const ended_container& each) {
                              return listed(each.reason);
                            }));
}

bool holds(const failure_rule& rule, const model::run_outcome& outcome, const pod_view* pod,
           const std::vector<pod_event>& events) {
  const bool asks_containers = !rule.container_name.empty() || !rule.exit_codes_in.empty() ||
                               !rule.exit_codes_not_in.empty() || !rule.termination_message.empty();
  if (asks_containers &&
      (pod == nullptr || !std::ranges::any_of(pod->ended, [&](const ended_container& each) {
         return holds_of(rule, each);
       })))
    return false;
  if (!rule.reasons.empty() && !has_reason(rule, outcome, pod)) return false;
  if (!rule.pod_error.is_in(outcome.message)) return false;
  return rule.pod_event.empty() || std::ranges::any_of(events, [&](const pod_event& each) {
           return rule.pod_event.is_in(each.message);
         });
}

}  // namespace

const failure_rule* find_rule(const std::vector<failure_rule>& rules,
                              const model::run_outcome& outcome, const pod_view* pod,
                              const std::vector<pod_event>& events) {
  const auto found = std::ranges::find_if(
      rules, [&](const failure_rule& each) { return holds(each, outcome, pod, events); });
  return found == rules.end() ? nullptr : &*found;
}

std::string category_of(const failure_rule& rule) {
  return rule.subcategory.empty() ? rule.category : rule.category + "/" + rule.subcategory;
}

}  // namespace argosy::backends
