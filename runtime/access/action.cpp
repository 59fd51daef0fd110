// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/action.hpp"

#include <algorithm>

namespace argosy::access {

namespace {

using enum permission;

constexpr std::array<action_rule, 23> all_rules{{
    {action::read, "", std::nullopt, ""},
    {action::submit, "submit", submit_any_jobs, "submit"},
    {action::cancel, "cancel", cancel_any_jobs, "cancel"},
    {action::preempt, "preempt", preempt_any_jobs, "preempt"},
    {action::reprioritize, "reprioritize", reprioritize_any_jobs, "reprioritize"},
    {action::watch, "watch", watch_all_events, "watch"},
    {action::read_logs, "logs", read_any_logs, "watch"},
    {action::write_queue, "create-queue", permission::create_queue, ""},
    {action::delete_queue, "delete-queue", permission::delete_queue, ""},
    {action::cordon_queue, "cordon-queue", permission::cordon_queue, ""},
    {action::cancel_anywhere, "cancel-all", cancel_any_jobs, ""},
    {action::preempt_anywhere, "preempt-all", preempt_any_jobs, ""},
    {action::update_executors, "update-cluster", update_executor_settings, ""},
    {action::create_retry_policy, "create-retry-policy", permission::create_retry_policy, ""},
    {action::update_retry_policy, "update-retry-policy", permission::update_retry_policy, ""},
    {action::delete_retry_policy, "delete-retry-policy", permission::delete_retry_policy, ""},
    {action::cordon_nodes, "cordon-node", permission::cordon_nodes, ""},
    {action::execute, "execute", execute_jobs, ""},
    {action::report_spans, "report-spans", permission::report_spans, ""},
    {action::read_audit, "audit", permission::read_audit, ""},
    {action::change_settings, "change-settings", permission::change_settings, ""},
    {action::view_specifications, "view-specifications", permission::view_specifications, "watch"},
    {action::unlisted, "", std::nullopt, ""},
}};

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

bool is_owner(const principal& who, const model::queue_settings& queue) {
  return contains(queue.owners, display_name(who)) ||
         std::ranges::any_of(queue.group_owners,
                             [&](const std::string& group) { return contains(who.groups, group); });
}

bool is_named_by(const model::queue_permission::subject& subject, const principal& who) {
  if (subject.kind == "User") return subject.name == display_name(who);
  return subject.kind == "Group" && contains(who.groups, subject.name);
}

}  // namespace

const std::array<action_rule, 23>& action_rules() noexcept {
  return all_rules;
}

const action_rule& rule_of(action what) noexcept {
  return all_rules[static_cast<std::size_t>(what)];
}

std::optional<action> parse_action(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  const auto* const found = std::ranges::find(all_rules, name, &action_rule::name);
  if (found == all_rules.end()) return std::nullopt;
  return found->what;
}

bool may(const principal& who, action what) noexcept {
  if (what == action::read) return true;
  const auto& rule = rule_of(what);
  if (rule.everywhere) return who.permissions.has(*rule.everywhere);
  return who.role_checked || who.permissions.has_all();
}

bool sees_environment(const principal& who, std::string_view owner) noexcept {
  return may(who, action::view_specifications) || (!who.name.empty() && who.name == owner);
}

std::string sees_jobs_of(const principal& who) {
  // Nobody who says no name is the owner of what another such one has submitted.
  return who.name.empty() ? std::string(1, '\0') : who.name;
}

bool may(const principal& who, action what, const model::queue_settings& queue) {
  if (may(who, what)) return true;
  const auto verb = rule_of(what).verb;
  if (verb.empty()) return false;
  return is_owner(who, queue) ||
         std::ranges::any_of(queue.permissions, [&](const model::queue_permission& one) {
           return contains(one.verbs, verb) &&
                  std::ranges::any_of(
                      one.subjects, [&](const auto& subject) { return is_named_by(subject, who); });
         });
}

bool may_somewhere(const principal& who, action what) noexcept {
  return may(who, what) || !rule_of(what).verb.empty();
}

error refusal(const principal& who, action what, const std::string& queue) {
  const auto& rule = rule_of(what);
  std::string needed = "every permission";
  if (rule.everywhere) needed = "the permission " + std::string{to_string(*rule.everywhere)};
  if (!rule.verb.empty())
    needed += (queue.empty() ? " or the verb '" : ", or the verb '") + std::string{rule.verb} +
              (queue.empty() ? "' on a queue" : "' on queue '" + queue + "'");
  return {ec::denied, "user '" + display_name(who) + "' may not do this: it takes " + needed};
}

std::string display_name(const principal& who) {
  return who.name.empty() ? std::string{anonymous} : who.name;
}

}  // namespace argosy::access
