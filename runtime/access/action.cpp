// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/action.hpp"

#include <algorithm>
#include <span>

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

struct method_rule {
  std::string_view method;  ///< "Service.Method", or "Service." for all that the service has.
  action what;
};

/// The first entry that fits counts. Queue methods are under Submit as well.
constexpr std::array method_rules{
    method_rule{"Submit.SubmitJobs", action::submit},
    method_rule{"Submit.CancelJobs", action::cancel},
    method_rule{"Submit.CancelJobSet", action::cancel},
    method_rule{"Submit.PreemptJobs", action::preempt},
    method_rule{"Submit.ReprioritizeJobs", action::reprioritize},
    method_rule{"JobControl.HoldJobs", action::cancel},
    method_rule{"JobControl.ReleaseJobs", action::cancel},
    method_rule{"Submit.Health", action::read},
    method_rule{"Event.GetJobSetEvents", action::watch},
    method_rule{"Event.Watch", action::watch},
    method_rule{"Event.Health", action::read},
    method_rule{"Logs.Read", action::read_logs},
    method_rule{"Jobs.", action::read},
    method_rule{"Query.", action::read},
    method_rule{"Access.", action::read},
    method_rule{"Explain.", action::read},
    method_rule{"Audit.ListAudit", action::read_audit},
    method_rule{"Settings.Reload", action::change_settings},
    method_rule{"Settings.Undo", action::change_settings},
    method_rule{"Settings.Update", action::change_settings},
    method_rule{"Settings.Get", action::read},
    method_rule{"Settings.ListChanges", action::read_audit},
    method_rule{"SchedulerReporting.", action::read},
    method_rule{"Trace.GetTrace", action::read},
    method_rule{"Trace.GetGraph", action::read},
    method_rule{"Trace.ReportSpans", action::report_spans},
    method_rule{"Diag.ReadActors", action::read},
    method_rule{"Diag.ReadMetrics", action::read},
    method_rule{"Diag.ReadLines", action::read_audit},
    method_rule{"Diag.ReadLogLevels", action::read_audit},
    method_rule{"Diag.ReadSpans", action::read_audit},
    method_rule{"Diag.SetLogLevel", action::change_settings},
    method_rule{"QueueService.CreateQueue", action::write_queue},
    method_rule{"QueueService.CreateQueues", action::write_queue},
    method_rule{"QueueService.UpdateQueue", action::write_queue},
    method_rule{"QueueService.UpdateQueues", action::write_queue},
    method_rule{"QueueService.DeleteQueue", action::delete_queue},
    method_rule{"QueueService.GetQueue", action::read},
    method_rule{"QueueService.GetQueues", action::read},
    method_rule{"QueueService.CordonQueue", action::cordon_queue},
    method_rule{"QueueService.UncordonQueue", action::cordon_queue},
    method_rule{"QueueService.CancelOnQueue", action::cancel_anywhere},
    method_rule{"QueueService.PreemptOnQueue", action::preempt_anywhere},
    method_rule{"Submit.CreateQueue", action::write_queue},
    method_rule{"Submit.CreateQueues", action::write_queue},
    method_rule{"Submit.UpdateQueue", action::write_queue},
    method_rule{"Submit.UpdateQueues", action::write_queue},
    method_rule{"Submit.DeleteQueue", action::delete_queue},
    method_rule{"Submit.GetQueue", action::read},
    method_rule{"Submit.GetQueues", action::read},
    // Whoever drains also has to have the right to cordon the target.
    method_rule{"ClusterService.Drain", action::preempt_anywhere},
    method_rule{"ClusterService.StopDrain", action::preempt_anywhere},
    method_rule{"ClusterService.ForgetCluster", action::update_executors},
    method_rule{"ClusterService.ReleaseNode", action::cordon_nodes},
    method_rule{"ClusterService.CordonCluster", action::update_executors},
    method_rule{"ClusterService.CordonNode", action::cordon_nodes},
    method_rule{"Executor.UpsertExecutorSettings", action::update_executors},
    method_rule{"Executor.DeleteExecutorSettings", action::update_executors},
    method_rule{"Executor.DeleteExecutor", action::update_executors},
    method_rule{"Executor.CancelOnExecutor", action::cancel_anywhere},
    method_rule{"Executor.PreemptOnExecutor", action::preempt_anywhere},
    method_rule{"Node.CancelOnNode", action::cancel_anywhere},
    method_rule{"Node.PreemptOnNode", action::preempt_anywhere},
    method_rule{"RetryPolicyService.CreateRetryPolicy", action::create_retry_policy},
    method_rule{"RetryPolicyService.UpdateRetryPolicy", action::update_retry_policy},
    method_rule{"RetryPolicyService.DeleteRetryPolicy", action::delete_retry_policy},
    method_rule{"RetryPolicyService.GetRetryPolicy", action::read},
    method_rule{"RetryPolicyService.GetRetryPolicies", action::read},
    method_rule{"Binoculars.Cordon", action::cordon_nodes},
    method_rule{"Binoculars.Logs", action::read_logs},
    method_rule{"ExecutorApi.", action::execute},
};

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

action action_of(std::string_view method) noexcept {
  for (const auto& rule : method_rules)
    if (rule.method.ends_with('.') ? method.starts_with(rule.method) : method == rule.method)
      return rule.what;
  return action::unlisted;
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
