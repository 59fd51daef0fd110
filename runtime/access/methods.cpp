// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/methods.hpp"

#include <algorithm>

namespace argosy::access {

// The names of actions are those of permissions too, which neighbours in the batch use.
namespace table {

using enum action;
using call_effect::changes;
using call_effect::reads;
using call_effect::shows;

/// A nats-server counts as told of other rights when rows of viewers or submitters change places.
/// What executors say of runs is in the log as what happened to the runs, and reported spans are
/// kept in memory only, so that the calls count as reads. Queue methods are under Submit as well.
constexpr method_row rows[] = {
    {"Access.CanI", read, reads, "GET /v1/access/can-i"},
    {"Access.WhoAmI", read, reads, "GET /v1/access/whoami"},
    {"Access.AsSubmitter", read, reads},
    {"Access.AsOperator", read, reads},
    {"Audit.ListAudit", read_audit, reads},
    {"Binoculars.Logs", read_logs, shows, "POST /v1/binoculars/log"},
    {"Binoculars.Cordon", cordon_nodes, changes, "POST /v1/binoculars/cordon"},
    {"Diag.ReadActors", read, reads, "GET /v1/diag/actors"},
    {"Diag.ReadMetrics", read, reads},
    {"Diag.ReadLines", read_audit, shows, "GET /v1/diag/log"},
    {"Diag.ReadLogLevels", read_audit, reads, "GET /v1/diag/log-levels"},
    {"Diag.ReadSpans", read_audit, reads},
    {"Diag.SetLogLevel", change_settings, changes, "POST /v1/diag/log-level"},
    {"Event.GetJobSetEvents", watch, reads, "POST /v1/job-set/{queue}/{id}"},
    {"Event.Watch", watch, reads},
    {"Event.Health", read, reads},
    {"Explain.", read, reads},
    {"Explain.ExplainJob", read, reads, "GET /v1/job/{job_id}/explain"},
    {"Explain.ExplainJobHistory", read, reads, "GET /v1/job/{job_id}/explain/history"},
    {"Explain.ExplainJobOnNode", read, reads, "GET /v1/job/{job_id}/explain/node/{cluster}/{node}"},
    {"Explain.ExplainNode", read, reads, "GET /v1/node/{cluster}/{node}/explain"},
    {"Explain.ListRounds", read, reads, "GET /v1/rounds"},
    {"Submit.Health", read, reads},
    {"Jobs.GetActiveQueues", read, reads, "POST /v1/queues/active"},
    {"Jobs.GetJobDetails", read, reads, "POST /v1/job/details"},
    {"Jobs.GetJobErrors", read, reads, "POST /v1/job/errors"},
    {"Jobs.GetJobRunDetails", read, reads, "POST /v1/run/details"},
    {"Jobs.GetJobStatus", read, reads, "POST /v1/job/status"},
    {"Logs.Read", read_logs, shows, "GET /v1/job/{job_id}/log"},
    {"Query.", read, reads},
    {"Query.DescribeJob", read, reads, "GET /v1/job/{job_id}/describe"},
    {"Query.FindJobs", read, reads, "POST /v1/jobs/find"},
    {"Query.GetVersion", read, reads, "GET /v1/version"},
    {"Query.GroupJobs", read, reads, "POST /v1/jobs/group"},
    {"Query.ListClusters", read, reads, "GET /v1/clusters"},
    {"Query.ListJobSets", read, reads, "GET /v1/job-sets"},
    {"Query.ListNodes", read, reads, "GET /v1/nodes"},
    {"Query.ListOperations", read, reads, "GET /v1/operations"},
    {"Query.ListPools", read, reads, "GET /v1/pools"},
    {"Query.ListQueues", read, reads, "GET /v1/queues"},
    {"Jobs.GetJobStatusUsingExternalJobUri", read, reads, "POST /v1/job/statusUsingExternalJobUri"},
    {"SchedulerReporting.", read, reads},
    {"SchedulerReporting.GetSchedulingReport", read, reads, "GET /v1/scheduling-report"},
    {"SchedulerReporting.GetQueueReport", read, reads,
     "GET /v1/queue/{queue_name}/scheduler-report"},
    {"SchedulerReporting.GetJobReport", read, reads, "GET /v1/job/{job_id}/scheduler-report"},
    {"QueueService.GetQueue", read, reads},
    {"QueueService.GetQueues", read, reads},
    {"QueueService.CreateQueue", write_queue, changes},
    {"QueueService.CreateQueues", write_queue, changes},
    {"QueueService.UpdateQueue", write_queue, changes},
    {"QueueService.UpdateQueues", write_queue, changes},
    {"QueueService.DeleteQueue", delete_queue, changes},
    {"QueueService.CordonQueue", cordon_queue, changes},
    {"QueueService.UncordonQueue", cordon_queue, changes},
    {"QueueService.CancelOnQueue", cancel_anywhere, changes},
    {"QueueService.PreemptOnQueue", preempt_anywhere, changes},
    {"RetryPolicyService.GetRetryPolicies", read, reads, "GET /v1/retry-policies"},
    {"RetryPolicyService.GetRetryPolicy", read, reads, "GET /v1/retry-policy/{name}"},
    {"RetryPolicyService.CreateRetryPolicy", create_retry_policy, changes, "POST /v1/retry-policy"},
    {"RetryPolicyService.UpdateRetryPolicy", update_retry_policy, changes,
     "PUT /v1/retry-policy/{name}"},
    {"RetryPolicyService.DeleteRetryPolicy", delete_retry_policy, changes,
     "DELETE /v1/retry-policy/{name}"},
    {"Settings.Get", read, reads, "GET /v1/settings"},
    {"Settings.ListChanges", read_audit, reads, "GET /v1/settings/changes"},
    {"Settings.Reload", change_settings, changes, "POST /v1/settings/reload"},
    {"Settings.Undo", change_settings, changes, "POST /v1/settings/undo"},
    {"Settings.Update", change_settings, changes, "POST /v1/settings"},
    {"Submit.GetQueue", read, reads, "GET /v1/queue/{name}"},
    {"Submit.GetQueues", read, reads, "GET /v1/batched/queues"},
    {"Submit.CancelJobSet", cancel, changes, "POST /v1/jobset/cancel"},
    {"Submit.CancelJobs", cancel, changes, "POST /v1/job/cancel"},
    {"Submit.PreemptJobs", preempt, changes, "POST /v1/job/preempt"},
    {"Submit.ReprioritizeJobs", reprioritize, changes, "POST /v1/job/reprioritize"},
    {"Submit.SubmitJobs", submit, changes, "POST /v1/job/submit"},
    {"Submit.CreateQueue", write_queue, changes, "POST /v1/queue"},
    {"Submit.CreateQueues", write_queue, changes, "POST /v1/batched/create_queues"},
    {"Submit.UpdateQueue", write_queue, changes, "PUT /v1/queue/{name}"},
    {"Submit.UpdateQueues", write_queue, changes, "PUT /v1/batched/update_queues"},
    {"Submit.DeleteQueue", delete_queue, changes, "DELETE /v1/queue/{name}"},
    {"Trace.GetGraph", read, reads},
    {"Trace.GetTrace", read, reads, "GET /v1/job/{job_id}/trace"},
    {"Trace.ReportSpans", report_spans, reads},
    {"JobControl.HoldJobs", cancel, changes, "POST /v1/job/hold"},
    {"JobControl.ReleaseJobs", cancel, changes, "POST /v1/job/release"},
    {"ClusterService.CordonCluster", update_executors, changes, "POST /v1/cluster/{name}/cordon"},
    {"ClusterService.CordonNode", cordon_nodes, changes, "POST /v1/node/{cluster}/{node}/cordon"},
    // Whoever drains also has to have the right to cordon the target.
    {"ClusterService.Drain", preempt_anywhere, changes, "POST /v1/cluster/{cluster}/drain",
     "POST /v1/node/{cluster}/{node}/drain"},
    {"ClusterService.StopDrain", preempt_anywhere, changes, "POST /v1/cluster/{cluster}/drain/stop",
     "POST /v1/node/{cluster}/{node}/drain/stop"},
    {"ClusterService.ForgetCluster", update_executors, changes},
    {"ClusterService.ReleaseNode", cordon_nodes, changes, "POST /v1/node/{cluster}/{node}/release"},
    {"ControlPlane.Get", read, reads, "GET /v1/controlplane"},
    {"ControlPlane.HandOver", change_settings, changes, "POST /v1/controlplane/handover"},
    {"ControlPlane.Forget", change_settings, changes, "POST /v1/controlplane/forget"},
    {"Executor.UpsertExecutorSettings", update_executors, changes},
    {"Executor.DeleteExecutorSettings", update_executors, changes},
    {"Executor.DeleteExecutor", update_executors, changes},
    {"Executor.CancelOnExecutor", cancel_anywhere, changes},
    {"Executor.PreemptOnExecutor", preempt_anywhere, changes},
    {"Node.CancelOnNode", cancel_anywhere, changes},
    {"Node.PreemptOnNode", preempt_anywhere, changes},
    {"ExecutorApi.", execute, reads},
};

}  // namespace table

std::span<const method_row> method_rows() noexcept {
  return table::rows;
}

const method_row* row_of(std::string_view method) noexcept {
  const auto row_named = [](std::string_view name) {
    const auto* const found = std::ranges::find(table::rows, name, &method_row::name);
    return found == std::end(table::rows) ? nullptr : found;
  };
  const auto* const own = row_named(method);
  return own != nullptr ? own : row_named(method.substr(0, method.find('.') + 1));
}

action action_of(std::string_view method) noexcept {
  const auto* const row = row_of(method);
  return row == nullptr ? action::unlisted : row->what;
}

}  // namespace argosy::access
