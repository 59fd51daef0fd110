// SPDX-License-Identifier: Apache-2.0
// Goal: nobody pushes out of the audit trail what others did, also when the process starts again.
// Method: a trail for four records, and two callers of whom one does much.
#include <gmock/gmock.h>

#include "messages/proto/argosy/audit.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

namespace {

struct full_trail : control_plane_test {
  full_trail() { begin(); }
  ~full_trail() override { transport->close(); }

  void begin() {
    start([this](actors::root_config& with) {
      with.audit = true;
      with.retention.audit_records_max = 4;
      with.inner_connection = inner.connect();
    });
  }
  ec submit_as_ann() {
    auto who = access::make_principal({"ann", {}, {}, {}, access::scheme::oidc}, {});
    who.permissions = access::permission_set::all();
    auto with = bus::caller_headers(who);
    bus::set_way(with, "grpc", "ipv4:10.0.0.7:4711");
    return outcome_by(*transport, "Submit.SubmitJobs", make_submit("q"), with);
  }
  /// The users whose calls are recorded, the newest first.
  std::vector<std::string> users() {
    pass(300ms);
    std::vector<std::string> out;
    const auto all = ask<v1::ListAuditResponse>("Audit.ListAudit", v1::ListAuditRequest{});
    for (const auto& entry : all.entries()) out.push_back(entry.user());
    return out;
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
};

TEST_F(full_trail, lets_the_records_of_who_has_most_go) {
  create_queue("q");
  for (int i = 0; i < 2; ++i) ASSERT_EQ(submit_as_ann(), ec::none);
  for (int i = 0; i < 20; ++i) submit("q");
  EXPECT_EQ(users().size(), 23U);
  pass(65s);
  EXPECT_THAT(users(), ElementsAre("anonymous", "anonymous", "ann", "ann"));
  for (int i = 0; i < 3; ++i) submit("q");
  stop();
  begin();
  pass(65s);
  EXPECT_THAT(users(), ElementsAre("anonymous", "anonymous", "ann", "ann"));
}

}  // namespace

}  // namespace argosy::tests
