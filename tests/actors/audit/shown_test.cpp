// SPDX-License-Identifier: Apache-2.0
// Goal: whoever sees specifications of others leaves one record of it, by whatever way. Method: a
// control plane in virtual time that is called over the bus of the transports of its process.
#include <gmock/gmock.h>

#include "messages/proto/argosy/audit.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;

struct shown : control_plane_test {
  shown() {
    start([this](actors::root_config& with) {
      with.audit = true;
      with.inner_connection = inner.connect();
    });
    as.permissions = access::permission_set::all();
    create_queue("q");
    EXPECT_EQ(outcome_by(*transport, "Submit.SubmitJobs", make_submit("q", {.count = 3}),
                         bus::caller_headers(as)),
              ec::none);
  }
  ~shown() override { transport->close(); }

  /// The records of what was shown, the newest first, as "USER METHOD JOB SET: SUMMARY".
  std::vector<std::string> records() {
    pass(300ms);
    std::vector<std::string> out;
    const auto all = ask<v1::ListAuditResponse>("Audit.ListAudit", v1::ListAuditRequest{});
    for (const auto& each : all.entries())
      if (!each.method().starts_with("Submit."))
        out.push_back(each.user() + " " + each.method() + " " + each.job_set() + ": " +
                      each.summary());
    return out;
  }
  void watch() {
    api::JobSetRequest request;
    request.set_queue("q");
    request.set_id("set");
    const auto stream =
        transport->open_stream("argosy.api.Event.GetJobSetEvents", request.SerializeAsString(),
                               bus::caller_headers(as), {}, {});
    pass(300ms);
  }
  void describe_first() {
    v1::DescribeJobRequest request;
    request.set_job_id(jobs("q").front().job_id());
    EXPECT_EQ(outcome_by(*transport, "Query.DescribeJob", request, bus::caller_headers(as)),
              ec::none);
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  access::principal as = access::make_principal({"ann", {}, {}, {}, access::scheme::oidc}, {});
};

TEST_F(shown, own_specifications_leave_no_record) {
  watch();
  describe_first();
  EXPECT_TRUE(records().empty());
}

TEST_F(shown, specifications_over_nats_without_users_leave_no_record) {
  const auto id = submit("q").at(0);
  describe(id);
  EXPECT_TRUE(records().empty());
}

TEST_F(shown, specifications_of_others_leave_one_for_each_watch_and_also_without_a_name) {
  as.name = "bob";
  watch();
  const std::vector<std::string> first{
      "bob Event.GetJobSetEvents set: saw specifications of others, job set set of queue q"};
  EXPECT_EQ(records(), first);
  as.name = "";
  watch();
  EXPECT_EQ(records().size(), 2U);
  describe_first();
  EXPECT_EQ(records().size(), 3U);
}

}  // namespace argosy::tests
