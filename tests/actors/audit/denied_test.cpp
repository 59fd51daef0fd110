// SPDX-License-Identifier: Apache-2.0
// Goal: each call that was denied leaves a record, also of methods that only read. Method: all
// methods of the API are called by users who have no right at all, each by one of his own.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>

#include <set>

#include "messages/codec/api/method_list.hpp"
#include "messages/proto/api/event.pb.h"
#include "messages/proto/argosy/audit.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;

namespace {

struct denied_calls : control_plane_test {
  denied_calls() {
    start([this](actors::root_config& with) {
      with.audit = true;
      with.inner_connection = inner.connect();
    });
    create_queue("q");
  }
  ~denied_calls() override { transport->close(); }

  /// How the method ends for a user of this name.
  ec ends(const codec::api_method& method, const google::protobuf::Message& request,
          const std::string& user) {
    const auto who = access::make_principal({user, {}, {}, {}, access::scheme::oidc}, {});
    if (!method.streams)
      return outcome_by(*transport, method.name, request, bus::caller_headers(who));
    const auto out = std::make_shared<ec>(ec::none);
    bus::stream_events events;
    events.on_end = [out](const result<void>& end) {
      if (!end) *out = end.error().code;
    };
    const auto stream =
        transport->open_stream("argosy.api." + method.name, request.SerializeAsString(),
                               bus::caller_headers(who), {.credit = 100}, events);
    pass(300ms);
    return *out;
  }
  /// The denied calls that are recorded: "USER METHOD".
  std::set<std::string> recorded() {
    pass(300ms);
    std::set<std::string> out;
    v1::ListAuditRequest request;
    request.set_outcome("denied");
    request.set_limit(1'000);
    const auto all = ask<v1::ListAuditResponse>("Audit.ListAudit", request);
    for (const auto& each : all.entries()) out.insert(each.user() + " " + each.method());
    return out;
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
};

TEST_F(denied_calls, leave_a_record_whatever_the_method) {
  std::set<std::string> expected;
  for (const auto& method : codec::api_methods()) {
    const auto user = "of-" + method.name;
    const auto request = request_of(method);
    // Whoever names no queue is told so before he is told what it takes.
    if (const auto* queue = request->GetDescriptor()->FindFieldByName("queue");
        queue != nullptr &&
        queue->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING &&
        !queue->is_repeated())
      request->GetReflection()->SetString(request.get(), queue, "q");
    if (ends(method, *request, user) != ec::denied) continue;
    if (method.name != "Trace.ReportSpans") expected.insert(user + " " + method.name);
  }
  for (const auto* method :
       {"Audit.ListAudit", "Settings.ListChanges", "Diag.ReadLogLevels", "Event.GetJobSetEvents"})
    EXPECT_TRUE(expected.contains("of-" + std::string{method} + " " + method)) << method;
  const auto found = recorded();
  for (const auto& each : expected) EXPECT_TRUE(found.contains(each)) << each;
}

TEST_F(denied_calls, that_read_say_what_they_were_about) {
  api::JobSetRequest request;
  request.set_queue("q");
  request.set_id("s");
  for (const auto& method : codec::api_methods())
    if (method.name == "Event.GetJobSetEvents") EXPECT_EQ(ends(method, request, "mia"), ec::denied);
  pass(300ms);
  const auto all = ask<v1::ListAuditResponse>("Audit.ListAudit", v1::ListAuditRequest{});
  ASSERT_GT(all.entries_size(), 0);
  EXPECT_EQ(all.entries(0).user(), "mia");
  EXPECT_EQ(all.entries(0).queue(), "q");
  EXPECT_EQ(all.entries(0).job_set(), "s");
}

}  // namespace

}  // namespace argosy::tests
