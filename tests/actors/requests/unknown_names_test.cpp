// SPDX-License-Identifier: Apache-2.0
// Goal: whoever names what does not exist is told so by every method, and nothing happens.
// Method: all methods of the API are called with names that nobody has given, first for everything
// and then beside a queue and a cluster that are there; those that succeed are in a list with the
// reason.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <map>

#include "messages/codec/api/method_list.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {

constexpr const char* unknown_job = "01k9x2aaaaaaaaaaaaaaaaaaaa";

/// Methods that succeed though a name of theirs is of nothing, and why.
const std::map<std::string, std::string> succeeding{
    {"Audit.ListAudit", "the trail also has names of what is gone"},
    {"Event.GetJobSetEvents", "it waits for a job set that is to come"},
    {"Executor.CancelOnExecutor", "Armada's answers before it looks"},
    {"Executor.DeleteExecutor", "what is to go is not there"},
    {"Executor.DeleteExecutorSettings", "what is to go is not there"},
    {"Executor.PreemptOnExecutor", "Armada's answers before it looks"},
    {"Executor.UpsertExecutorSettings", "Armada's are there before the executor"},
    {"JobControl.HoldJobs", "it tells which jobs were held"},
    {"JobControl.ReleaseJobs", "it tells which jobs were released"},
    {"Jobs.GetJobDetails", "it answers for each job"},
    {"Jobs.GetJobErrors", "it answers for each job"},
    {"Jobs.GetJobStatus", "it answers for each job"},
    {"Node.CancelOnNode", "Armada's answers before it looks"},
    {"Node.PreemptOnNode", "Armada's answers before it looks"},
    {"Query.ListJobs", "a job set has no life of its own: it has no jobs"},
    {"QueueService.DeleteQueue", "what is to go is not there"},
    {"RetryPolicyService.DeleteRetryPolicy", "what is to go is not there"},
    {"Submit.CancelJobSet", "a job set has no life of its own: no job is cancelled"},
    {"Submit.CancelJobs", "it tells which jobs were cancelled"},
    {"Submit.DeleteQueue", "what is to go is not there"},
    {"Submit.PreemptJobs", "it tells which jobs are preempted"},
    {"Submit.ReprioritizeJobs", "it tells which jobs have another priority"},
    {"Submit.SubmitJobs", "a job set begins with its first job"},
};

struct unknown_names : control_plane_test {
  unknown_names() {
    start();
    create_queue("q");
    add_agent("c", {node_of("n", 4)});
    pass(std::chrono::seconds{1});
  }

  static std::string text_for(const std::string& name, bool of_job_set, bool beside_known) {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    if (of_job_set && name == "id") return "nowhere";
    if (has("job_id") || has("jobid")) return unknown_job;
    if (has("queue")) return beside_known ? "q" : "nowhere";
    if (has("cluster") || has("executor")) return beside_known ? "c" : "nowhere";
    if (has("node") || has("job_set") || has("jobset") || name == "name" || name == "pool")
      return "nowhere";
    if (has("reason")) return "it is tried";
    return {};
  }
  static bool fill(Message& request, bool beside_known) {
    const auto& type = *request.GetDescriptor();
    const auto& access = *request.GetReflection();
    bool names = false;
    for (int i = 0; i < type.field_count(); ++i) {
      const auto& field = *type.field(i);
      if (field.type() != FieldDescriptor::TYPE_STRING) continue;
      const auto text =
          text_for(field.lowercase_name(), type.name() == "JobSetRequest", beside_known);
      if (text.empty()) continue;
      names = names || text == "nowhere" || text == unknown_job;
      if (field.is_repeated())
        access.AddString(&request, &field, text);
      else
        access.SetString(&request, &field, text);
    }
    return names;
  }
  /// How the method ended for a request that names nothing that exists.
  result<std::string> outcome(const codec::api_method& method, const Message& request) {
    if (!method.streams) return call(method.name, request);
    result<std::string> out{std::string{}};
    bus::stream_events events;
    events.on_end = [&](const result<void>& end) {
      if (!end) out = fail(end.error());
    };
    const auto stream = client->open_stream(
        "argosy.api." + method.name, request.SerializeAsString(), {}, {.credit = 100}, events);
    pass(std::chrono::seconds{1});
    return out;
  }
};

TEST_F(unknown_names, are_told_by_every_method) {
  std::map<std::string, std::string> succeeded;
  for (const bool beside_known : {false, true})
    for (const auto& method : codec::api_methods()) {
      const auto request = request_of(method);
      if (!fill(*request, beside_known)) continue;
      if (outcome(method, *request)) succeeded[method.name] = request->ShortDebugString();
    }
  for (const auto& [name, request] : succeeded)
    EXPECT_TRUE(succeeding.contains(name)) << name << " succeeds for " << request;
  for (const auto& [name, why] : succeeding)
    EXPECT_TRUE(succeeded.contains(name)) << name << " does not succeed any more";
}

}  // namespace

}  // namespace argosy::tests
