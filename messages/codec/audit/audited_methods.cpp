// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/audit/audited_methods.hpp"

#include <algorithm>
#include <array>

#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/audit/request_words.hpp"
#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::codec {

namespace {

struct audited_method {
  std::string_view method;
  void (*describe)(std::string_view bytes, model::call_recorded& call);
  call_effect effect = call_effect::changes;
};

/// What the field `name` of a request names.
enum class named : std::uint8_t { nothing, queue, cluster, node, policy };

void put_name(named what, const std::string& name, model::call_recorded& call) {
  switch (what) {
    case named::nothing:
      return;
    case named::queue:
      call.queue = name;
      return;
    case named::cluster:
      call.cluster = name;
      return;
    case named::node:
      call.node = name;
      return;
    case named::policy:
      call.summary = "policy " + name;
      return;
  }
}

/// Describes a request by those of its fields that mean the same in all requests.
template <class Request, named Name = named::nothing>
void describe(std::string_view bytes, model::call_recorded& call) {
  Request request;
  if (!read_request(bytes, request)) return;
  if constexpr (requires { request.name(); }) put_name(Name, request.name(), call);
  if constexpr (requires { request.queue(); }) call.queue = request.queue();
  if constexpr (requires { request.job_set_id(); }) call.job_set = request.job_set_id();
  if constexpr (requires { request.job_set(); }) call.job_set = request.job_set();
  if constexpr (requires { request.executor(); }) call.cluster = request.executor();
  if constexpr (requires { request.cluster(); }) call.cluster = request.cluster();
  if constexpr (requires { request.node(); }) call.node = request.node();
  if constexpr (requires { request.node_name(); }) call.node = request.node_name();
  if constexpr (requires { request.job_ids_size(); })
    call.jobs = static_cast<std::uint64_t>(request.job_ids_size());
  if constexpr (requires { request.job_id(); }) call.jobs += request.job_id().empty() ? 0 : 1;
  add_words(words_of(request), call.summary);
}

void describe_watch(std::string_view bytes, model::call_recorded& call) {
  api::JobSetRequest request;
  if (!read_request(bytes, request)) return;
  call.queue = request.queue();
  call.job_set = request.id();
}

constexpr std::array audited{
    audited_method{"Submit.SubmitJobs", describe_submission},
    audited_method{"Submit.CancelJobs", describe<api::JobCancelRequest>},
    audited_method{"Submit.CancelJobSet", describe<api::JobSetCancelRequest>},
    audited_method{"Submit.PreemptJobs", describe<api::JobPreemptRequest>},
    audited_method{"Submit.ReprioritizeJobs", describe<api::JobReprioritizeRequest>},
    audited_method{"Submit.CreateQueue", describe<api::Queue, named::queue>},
    audited_method{"Submit.UpdateQueue", describe<api::Queue, named::queue>},
    audited_method{"Submit.CreateQueues", describe<api::QueueList>},
    audited_method{"Submit.UpdateQueues", describe<api::QueueList>},
    audited_method{"Submit.DeleteQueue", describe<api::QueueDeleteRequest, named::queue>},
    audited_method{"QueueService.CreateQueue", describe<api::Queue, named::queue>},
    audited_method{"QueueService.UpdateQueue", describe<api::Queue, named::queue>},
    audited_method{"QueueService.CreateQueues", describe<api::QueueList>},
    audited_method{"QueueService.UpdateQueues", describe<api::QueueList>},
    audited_method{"QueueService.DeleteQueue", describe<api::QueueDeleteRequest, named::queue>},
    audited_method{"QueueService.CordonQueue", describe<api::QueueCordonRequest, named::queue>},
    audited_method{"QueueService.UncordonQueue", describe<api::QueueUncordonRequest, named::queue>},
    audited_method{"QueueService.CancelOnQueue", describe<api::QueueCancelRequest, named::queue>},
    audited_method{"QueueService.PreemptOnQueue", describe<api::QueuePreemptRequest, named::queue>},
    audited_method{"Executor.UpsertExecutorSettings",
                   describe<api::ExecutorSettingsUpsertRequest, named::cluster>},
    audited_method{"Executor.DeleteExecutorSettings",
                   describe<api::ExecutorSettingsDeleteRequest, named::cluster>},
    audited_method{"Executor.DeleteExecutor", describe<api::ExecutorDeleteRequest, named::cluster>},
    audited_method{"Executor.CancelOnExecutor",
                   describe<api::ExecutorCancelRequest, named::cluster>},
    audited_method{"Executor.PreemptOnExecutor",
                   describe<api::ExecutorPreemptRequest, named::cluster>},
    audited_method{"Node.CancelOnNode", describe<api::NodeCancelRequest, named::node>},
    audited_method{"Node.PreemptOnNode", describe<api::NodePreemptRequest, named::node>},
    audited_method{"ClusterService.CordonCluster",
                   describe<v1::CordonClusterRequest, named::cluster>},
    audited_method{"ClusterService.CordonNode", describe<v1::CordonNodeRequest>},
    audited_method{"ClusterService.Drain", describe<v1::DrainRequest>},
    audited_method{"ClusterService.StopDrain", describe<v1::StopDrainRequest>},
    audited_method{"ClusterService.ForgetCluster",
                   describe<v1::ForgetClusterRequest, named::cluster>},
    audited_method{"ClusterService.ReleaseNode", describe<v1::ReleaseNodeRequest>},
    audited_method{"RetryPolicyService.CreateRetryPolicy",
                   describe<api::RetryPolicy, named::policy>},
    audited_method{"RetryPolicyService.UpdateRetryPolicy",
                   describe<api::RetryPolicy, named::policy>},
    audited_method{"RetryPolicyService.DeleteRetryPolicy",
                   describe<api::RetryPolicyDeleteRequest, named::policy>},
    audited_method{"JobControl.HoldJobs", describe<v1::HoldJobsRequest>},
    audited_method{"JobControl.ReleaseJobs", describe<v1::ReleaseJobsRequest>},
    audited_method{"Settings.Reload", describe<v1::ReloadSettingsRequest>},
    audited_method{"Settings.Undo", describe<v1::UndoSettingsRequest>},
    audited_method{"Settings.Update", describe<v1::UpdateSettingsRequest>},
    audited_method{"Diag.SetLogLevel", describe<v1::SetLogLevelRequest>},
    audited_method{"Binoculars.Cordon", describe<binoculars::CordonRequest>},
    // They show what jobs have written, or what a support bundle has.
    audited_method{"Binoculars.Logs", describe<binoculars::LogRequest>, call_effect::shows},
    audited_method{"Logs.Read", describe<v1::ReadLogRequest>, call_effect::shows},
    audited_method{"Diag.ReadLines", describe<v1::ReadLinesRequest>, call_effect::shows},
};

/// Spans are kept in memory only, so that to report them changes nothing that lasts. What executors
/// say of runs is in the log as what happened to the runs, as what agents say.
constexpr std::string_view report_of_spans = "Trace.ReportSpans";
constexpr std::array<std::string_view, 52> reading{
    "Access.AsOperator",
    "Access.AsSubmitter",
    "Access.CanI",
    "Access.WhoAmI",
    "Audit.ListAudit",
    "Diag.ReadActors",
    "Diag.ReadLogLevels",
    "Diag.ReadMetrics",
    "Diag.ReadSpans",
    "Event.GetJobSetEvents",
    "Event.Health",
    "Event.Watch",
    "ExecutorApi.LeaseJobRuns",
    "ExecutorApi.ReportEvents",
    "Explain.ExplainJob",
    "Explain.ExplainJobHistory",
    "Explain.ExplainJobOnNode",
    "Explain.ExplainNode",
    "Explain.ListRounds",
    "Jobs.GetActiveQueues",
    "Jobs.GetJobDetails",
    "Jobs.GetJobErrors",
    "Jobs.GetJobRunDetails",
    "Jobs.GetJobStatus",
    "Jobs.GetJobStatusUsingExternalJobUri",
    "Query.DescribeJob",
    "Query.FindJobs",
    "Query.GetVersion",
    "Query.GroupJobs",
    "Query.ListClusterEvents",
    "Query.ListClusters",
    "Query.ListJobSets",
    "Query.ListJobs",
    "Query.ListNodes",
    "Query.ListOperations",
    "Query.ListPools",
    "Query.ListQueues",
    "QueueService.GetQueue",
    "QueueService.GetQueues",
    "RetryPolicyService.GetRetryPolicies",
    "RetryPolicyService.GetRetryPolicy",
    "SchedulerReporting.GetJobReport",
    "SchedulerReporting.GetQueueReport",
    "SchedulerReporting.GetSchedulingReport",
    "Settings.Get",
    "Settings.ListChanges",
    "Submit.GetQueue",
    "Submit.GetQueues",
    "Submit.Health",
    "Trace.GetGraph",
    "Trace.GetTrace",
    report_of_spans,
};

const audited_method* find(std::string_view method) noexcept {
  const auto* const found = std::ranges::find(audited, method, &audited_method::method);
  return found == audited.end() ? nullptr : found;
}

}  // namespace

call_effect effect_of(std::string_view method) noexcept {
  if (const auto* known = find(method)) return known->effect;
  return std::ranges::find(reading, method) == reading.end() ? call_effect::unlisted
                                                             : call_effect::reads;
}

bool may_change(std::string_view method, std::string_view mode) noexcept {
  if (method == "Submit.SubmitJobs" && mode == "check") return false;
  const auto effect = effect_of(method);
  return effect == call_effect::changes || effect == call_effect::unlisted;
}

bool is_audited(std::string_view method, std::string_view mode) noexcept {
  return may_change(method, mode) || effect_of(method) == call_effect::shows;
}

bool is_sent_unasked(std::string_view method) noexcept {
  return method == report_of_spans;
}

void describe_request(std::string_view bytes, model::call_recorded& call) {
  if (const auto* known = find(call.method)) known->describe(bytes, call);
  // It is recorded only if it was denied.
  if (call.method == "Event.GetJobSetEvents") describe_watch(bytes, call);
}

}  // namespace argosy::codec
