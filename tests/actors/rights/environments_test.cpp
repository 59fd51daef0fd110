// SPDX-License-Identifier: Apache-2.0
// Goal: the environment of a job comes out nowhere to whom it is not shown.
// Method: a job whose environment has a word of its own, in each state; all methods of the API are
// asked about it by callers without that right, and every byte of what they get is searched.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <set>

#include "messages/codec/api/method_list.hpp"
#include "messages/proto/api/event.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {

constexpr std::string_view secret = "open-sesame-4711";

struct environments : control_plane_test {
  environments() {
    start([this](actors::root_config& config) {
      config.inner_connection = inner.connect();
      config.audit = true;
    });
    create_queue("q");
    auto& agent = add_agent("c", {node_of("n", 4)});
    ids = {submit_secret("1"), submit_secret("1"), submit_secret("64")};
    pass(1s);
    EXPECT_TRUE(agent.has(ids[0]));
    agent.end(ids[0], model::run_phase::failed, {7, 0, "Error", "it did not work"});
    pass(2s);
  }
  ~environments() override { transport->close(); }

  std::string submit_secret(const std::string& cpu) {
    auto wanted = make_submit("q", {.cpu = cpu});
    auto& item = *wanted.mutable_job_request_items(0);
    auto& main = *item.mutable_pod_spec()->mutable_containers(0);
    auto& variable = *main.add_env();
    variable.set_name("PASSWORD");
    variable.set_value(std::string{secret});
    // As tools leave them beside what they have applied.
    const auto json = R"({"spec":{"containers":[{"env":[{"name":"PASSWORD","value":")" +
                      std::string{secret} + R"("}]}]}})";
    auto& notes = *item.mutable_annotations();
    notes["kubectl.kubernetes.io/last-applied-configuration"] = json;
    notes["objectset.rio.cattle.io/applied"] = secret;
    notes["mine.example/manifest"] = json;
    auto& ingress = *item.add_ingress();
    ingress.add_ports(8080);
    (*ingress.mutable_annotations())["mine.example/manifest"] = json;
    api::JobSubmitResponse made;
    const auto answer = call("Submit.SubmitJobs", wanted);
    EXPECT_TRUE(answer) << answer.error().detail;
    EXPECT_TRUE(made.ParseFromString(*answer));
    return made.job_response_items(0).job_id();
  }

  /// Fills in what a caller would say who asks about the job.
  void fill(Message& request, const std::string& id) const {
    const auto& type = *request.GetDescriptor();
    const auto& access = *request.GetReflection();
    const bool of_job_set = type.name() == "JobSetRequest";
    for (int i = 0; i < type.field_count(); ++i) {
      const auto& field = *type.field(i);
      const auto name = field.lowercase_name();
      if (field.type() == FieldDescriptor::TYPE_BOOL && !field.is_repeated() && name != "watch")
        access.SetBool(&request, &field, true);
      if (field.type() != FieldDescriptor::TYPE_STRING) continue;
      const auto text = text_for(name, of_job_set, id);
      if (text.empty()) continue;
      if (field.is_repeated())
        access.AddString(&request, &field, text);
      else
        access.SetString(&request, &field, text);
    }
  }
  static std::string text_for(const std::string& name, bool of_job_set, const std::string& id) {
    if (of_job_set && name == "id") return "set";
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    if (has("queue")) return "q";
    if (has("jobset") || has("job_set")) return "set";
    if (name == "job_id" || name == "job_ids" || name == "id_prefixes") return id;
    if (has("cluster") || has("executor")) return "c";
    if (has("node")) return "n";
    if (name == "group_by") return "annotation";
    if (name == "key") return "mine.example/manifest";
    return {};
  }

  /// Everything that the caller gets of a method.
  std::string answers(const access::principal& who, const std::string& method, bool streams,
                      const Message& request) {
    const auto with = bus::caller_headers(who);
    std::string got;
    if (streams) {
      bus::stream_events events;
      events.on_item = [&](const bus::frame& item) { got += item.data; };
      events.on_end = [&](const result<void>& end) { got += end ? "" : end.error().detail; };
      const auto stream = transport->open_stream(
          "argosy.api." + method, request.SerializeAsString(), with, {.credit = 1'000}, events);
      pass(1s);
      return got;
    }
    const auto reply = exchange_by(*transport, method, request, with);
    if (!reply) return reply.error().detail;
    served.insert(method);
    got = reply->data;
    for (const auto& [name, value] : reply->headers) got += value;
    return got;
  }
  void expect_hidden(const access::principal& who) {
    for (const auto& method : codec::api_methods()) {
      for (const auto& id : ids) {
        const auto request = request_of(method);
        fill(*request, id);
        EXPECT_EQ(answers(who, method.name, method.streams, *request).find(secret),
                  std::string::npos)
            << method.name << " told " << who.name << ": " << request->ShortDebugString();
      }
    }
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  std::vector<std::string> ids;
  std::set<std::string> served;  ///< The methods that answered something.
};

TEST_F(environments, are_shown_to_nobody_who_only_looks) {
  expect_hidden(access::make_principal({"viola", {}, {}, {}}, {}));
  for (const auto* method : {"Jobs.GetJobDetails", "Query.DescribeJob", "Query.FindJobs",
                             "Query.ListJobs", "Explain.ExplainJob", "Jobs.GetJobErrors"})
    EXPECT_TRUE(served.contains(method)) << method;
}

TEST_F(environments, are_shown_to_no_operator_without_that_permission) {
  auto who = access::make_principal({"otto", {}, {}, {}}, {});
  who.permissions = access::permission_set::all();
  who.permissions.remove(access::permission::view_specifications);
  who.permissions.remove(access::permission::execute_jobs);
  expect_hidden(who);
  for (const auto* method : {"Jobs.GetJobDetails", "Query.DescribeJob", "Trace.GetTrace",
                             "Diag.ReadSpans", "Diag.ReadActors", "Audit.ListAudit"})
    EXPECT_TRUE(served.contains(method)) << method;
}

}  // namespace

}  // namespace argosy::tests
