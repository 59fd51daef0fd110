// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/role.hpp"

#include <array>
#include <span>

namespace argosy::access {

namespace {

constexpr std::array<std::string_view, 7> names{"argosyd",   "agent",    "viewer", "tenant",
                                                "submitter", "operator", "owner"};

constexpr std::array<std::string_view, 26> viewer_methods{
    "Access.CanI",
    "Access.WhoAmI",
    "Diag.ReadActors",
    "Diag.ReadMetrics",
    "Event.GetJobSetEvents",
    "Event.Watch",
    "Event.Health",
    "Explain.*",
    "Submit.Health",
    "Jobs.GetActiveQueues",
    "Jobs.GetJobDetails",
    "Jobs.GetJobErrors",
    "Jobs.GetJobRunDetails",
    "Jobs.GetJobStatus",
    "Query.*",
    "Jobs.GetJobStatusUsingExternalJobUri",
    "SchedulerReporting.*",
    "QueueService.GetQueue",
    "QueueService.GetQueues",
    "RetryPolicyService.GetRetryPolicies",
    "RetryPolicyService.GetRetryPolicy",
    "Settings.Get",
    "Submit.GetQueue",
    "Submit.GetQueues",
    "Trace.GetGraph",
    "Trace.GetTrace",
};

constexpr std::array<std::string_view, 11> submitter_methods{
    "Access.AsSubmitter",      "Binoculars.Logs",        "Logs.Read",
    "Submit.CancelJobSet",     "Submit.CancelJobs",      "Submit.PreemptJobs",
    "Submit.ReprioritizeJobs", "Submit.SubmitJobs",      "Trace.ReportSpans",
    "JobControl.HoldJobs",     "JobControl.ReleaseJobs",
};

/// The list has nothing that deletes, purges or restores a stream, or deletes a message of one. To
/// change the limits of a stream empties old generations of the log, and a thief of the control
/// plane's key could empty all of them by it.
constexpr std::array<std::string_view, 13> log_subjects{
    "argosy.log.>",
    "$JS.API.INFO",
    "$JS.API.STREAM.CREATE.*",
    "$JS.API.STREAM.UPDATE.*",
    "$JS.API.STREAM.INFO.*",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.MSG.GET.*",
    "$JS.API.CONSUMER.CREATE.>",
    "$JS.API.CONSUMER.DURABLE.CREATE.*.*",
    "$JS.API.CONSUMER.DELETE.*.*",
    "$JS.API.CONSUMER.INFO.*.*",
    "$JS.API.CONSUMER.MSG.NEXT.*.*",
};

void add_methods(permissions& out, const std::string& user,
                 std::span<const std::string_view> methods) {
  for (const auto method : methods) out.publish.push_back(api_subject(user, method));
}

void add_inbox(permissions& out, const identity& who) {
  const auto prefix = inbox_prefix(who);
  out.subscribe.push_back(prefix + ".> " + std::string{inbox_group});
  out.subscribe.push_back(prefix + std::string{unserved_place} + ">");
}

permissions of_control_plane() {
  permissions out;
  out.publish = {"_INBOX.>", "argosy.agent.>", "argosy.lead"};
  out.publish.insert(out.publish.end(), log_subjects.begin(), log_subjects.end());
  out.subscribe = {inbox_prefix({party::control_plane}) + ".>", "argosy.api.>", "argosy.agent.>",
                   "argosy.lead"};
  return out;
}

}  // namespace

std::string_view to_string(role value) noexcept {
  return names[static_cast<std::size_t>(value)];
}

result<role> parse_role(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<role>(i);
  return fail(
      ec::invalid_argument,
      "a role is viewer, tenant, submitter, operator or owner, not '" + std::string{name} + "'");
}

party party_of(role value) noexcept {
  if (value == role::control_plane) return party::control_plane;
  return value == role::agent ? party::agent : party::user;
}

permissions permissions_of(role value, const std::string& name) {
  if (value == role::control_plane) return of_control_plane();
  permissions out;
  add_inbox(out, {party_of(value), name});
  if (value == role::agent || value == role::owner) {
    const auto clusters = value == role::owner ? std::string{"*"} : name;
    const auto own = std::string{agent_subjects} + cluster_token(clusters) + ".>";
    out.publish = {own, std::string{answer_subjects} + cluster_token(clusters) + ".>"};
    out.subscribe.push_back(own);
  }
  if (value == role::owner) add_inbox(out, {party::agent, "*"});
  switch (value) {
    case role::control_plane:
    case role::agent:
      break;
    case role::operator_:
    case role::owner:
      out.publish.push_back(api_subject(name, ">"));
      break;
    case role::tenant:
      out.publish.push_back(tenant_subject(name, ">"));
      break;
    case role::submitter:
      add_methods(out, name, submitter_methods);
      [[fallthrough]];
    case role::viewer:
      add_methods(out, name, viewer_methods);
      break;
  }
  return out;
}

}  // namespace argosy::access
