// SPDX-License-Identifier: Apache-2.0
// Goal: operators find out who called what, by filters that are sent to the server, and see no less
// than they asked for. Method: the whole command line against a scripted server.
#include <gmock/gmock.h>

#include "messages/proto/argosy/audit.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using argosy::v1::ListAuditRequest;
using argosy::v1::ListAuditResponse;
using ::testing::HasSubstr;
using ::testing::Not;

class audit_verb : public cli_fixture {
 protected:
  /// Serves these entries, two in a page.
  void serve() {
    server->on<ListAuditRequest, ListAuditResponse>(
        method, [this](const ListAuditRequest& request) -> result<ListAuditResponse> {
          ListAuditResponse out;
          auto at = request.cursor().empty() ? 0U : std::stoul(request.cursor());
          while (at < entries.size() && out.entries_size() < 2) *out.add_entries() = entries[at++];
          if (at < entries.size()) out.set_cursor(std::to_string(at));
          return out;
        });
  }
  argosy::v1::AuditEntry& add(std::uint64_t number, const std::string& called,
                              const std::string& outcome) {
    auto& out = entries.emplace_back();
    out.set_number(number);
    out.set_time_ns(1'700'000'000'000'000'000);
    out.set_user("ann");
    out.set_via("grpc");
    out.set_method(called);
    out.set_outcome(outcome);
    return out;
  }
  ListAuditRequest sent(std::size_t index = 0) {
    return server->nth<ListAuditRequest>(method, index);
  }

  static constexpr auto method = "Audit.ListAudit";
  std::vector<argosy::v1::AuditEntry> entries;
};

TEST_F(audit_verb, prints_a_table) {
  auto& first = add(3, "Submit.CancelJobs", "denied");
  first.set_queue("q");
  first.set_job_set("set");
  first.set_jobs(1);
  first.set_peer("10.0.0.7:4711");
  first.set_summary("reason: no");
  first.set_detail("user 'ann' may not do this");
  auto& second = add(2, "Node.CancelOnNode", "ok");
  second.set_cluster("c");
  second.set_node("n");
  add(1, "", "left_out").set_left_out(12);
  serve();
  auto done = run({"audit"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out,
            "TIME                      USER  VIA   METHOD             TARGET         OUTCOME\n"
            "2023-11-14T22:13:20.000Z  ann   grpc  Submit.CancelJobs  q/set (1 job)  denied\n"
            "2023-11-14T22:13:20.000Z  ann   grpc  Node.CancelOnNode  c/n            ok\n"
            "2023-11-14T22:13:20.000Z  ann   grpc  12 more            -              left_out\n");
  done = run({"audit", "-o", "wide"});
  EXPECT_THAT(done.out, HasSubstr("10.0.0.7:4711"));
  EXPECT_THAT(done.out, HasSubstr("reason: no"));
  EXPECT_THAT(done.out, HasSubstr("user 'ann' may not do this"));
}

TEST_F(audit_verb, prints_json) {
  add(3, "Submit.CancelJobs", "denied").set_queue("q");
  serve();
  const auto done = run({"audit", "-o", "json"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, HasSubstr(R"("method":"Submit.CancelJobs")"));
  EXPECT_THAT(done.out, HasSubstr(R"("outcome":"denied")"));
  EXPECT_EQ(run({"audit", "-o", "name"}).out, "audit/3\n");
}

TEST_F(audit_verb, sends_its_filters) {
  serve();
  const auto done =
      run({"audit", "--user", "ann", "--method", "CancelJobs", "-q", "q", "--outcome", "refused",
           "--since", "2h", "--until", "2023-11-14T22:13Z", "--limit", "7"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(sent().user(), "ann");
  EXPECT_EQ(sent().method(), "CancelJobs");
  EXPECT_EQ(sent().queue(), "q");
  EXPECT_EQ(sent().outcome(), "refused");
  EXPECT_EQ(sent().since_ns(), now_ns - 2 * 3'600'000'000'000);
  EXPECT_EQ(sent().until_ns(), 1'699'999'980'000'000'000);
  EXPECT_EQ(sent().limit(), 8U) << "one more, to know whether there are more";
}

TEST_F(audit_verb, reads_moments) {
  serve();
  run({"audit", "--since", "2023-11-14"});
  EXPECT_EQ(sent().since_ns(), 1'699'920'000'000'000'000);
  run({"audit", "--since", "2023-11-14T22:13:20Z"});
  EXPECT_EQ(sent(1).since_ns(), 1'700'000'000'000'000'000);
  for (const auto* wrong : {"yesterday", "2023-13-01", "2023-11-14T25:00Z", "2023-11-14T22:13",
                            "2023-11-14T22:13:20:01Z", "2023-11-", "2023-02-30"}) {
    const auto done = run({"audit", "--since", wrong});
    EXPECT_EQ(done.code, exit_code::usage) << wrong;
    EXPECT_THAT(done.err, HasSubstr("--since takes")) << wrong;
  }
}

TEST_F(audit_verb, collects_pages_and_says_when_there_are_more) {
  for (std::uint64_t number = 5; number > 0; --number) add(number, "Submit.SubmitJobs", "ok");
  serve();
  auto done = run({"audit", "-o", "name", "--limit", "0"});
  EXPECT_EQ(done.out, "audit/5\naudit/4\naudit/3\naudit/2\naudit/1\n");
  EXPECT_EQ(sent().limit(), 0U);
  done = run({"audit", "-o", "name", "--limit", "3"});
  EXPECT_EQ(done.out, "audit/5\naudit/4\naudit/3\n");
  EXPECT_THAT(run({"audit", "--limit", "3"}).err, HasSubstr("--limit 0 shows all"));
  EXPECT_THAT(run({"audit", "--limit", "5"}).err, Not(HasSubstr("--limit 0")));
}

TEST_F(audit_verb, says_by_whom_and_about_what_nothing_is_recorded) {
  serve();
  auto done = run({"audit", "--user", "nobody", "--since", "2h"});
  EXPECT_EQ(done.code, exit_code::success);
  EXPECT_EQ(done.err, "no call of user 'nobody' that meets the conditions is recorded\n");
  EXPECT_EQ(run({"audit", "--user", "nobody", "-o", "json"}).err, "");
  argosy::v1::ListQueuesResponse queues;
  queues.add_queues()->mutable_queue()->set_name("research");
  server->always("Query.ListQueues", queues);
  server->refuse("QueueService.GetQueue", {ec::not_found, "there is no queue 'reserch'"});
  done = run({"audit", "-q", "reserch"});
  EXPECT_EQ(done.code, exit_code::not_found);
  EXPECT_THAT(done.err, HasSubstr("research"));
  server->refuse("QueueService.GetQueue", {ec::denied, "it takes a right"});
  done = run({"audit", "-q", "reserch"});
  EXPECT_EQ(done.code, exit_code::success) << "whoever reads the trail need not see queues";
  EXPECT_EQ(done.err, "no call about queue 'reserch' is recorded\n");
  add(1, "Submit.CancelJobs", "ok").set_queue("gone");
  EXPECT_EQ(run({"audit", "-q", "gone"}).code, exit_code::success) << "it was deleted";
}

TEST_F(audit_verb, tells_who_may_not_read_it) {
  server->refuse(method, {ec::denied, "it takes the permission read_audit"});
  const auto done = run({"audit"});
  EXPECT_NE(done.code, exit_code::success);
  EXPECT_THAT(done.err, HasSubstr("read_audit"));
}

}  // namespace argosy::ctl
