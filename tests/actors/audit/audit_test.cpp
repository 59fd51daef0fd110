// SPDX-License-Identifier: Apache-2.0
// Goal: each call that changes something, or was to, leaves a record that says who, what and what
// became of it; it outlives restarts and delays no answer. Method: a control plane in virtual time
// that is called over the bus, as over NATS, and over the bus of the transports of its process.
#include <gmock/gmock.h>

#include "actors/api/gateway_services.hpp"
#include "messages/codec/audit/audited_methods.hpp"
#include "messages/proto/argosy/audit.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct audit : control_plane_test {
  audit() {
    begin();
    as.permissions = access::permission_set::all();
  }
  ~audit() override { transport->close(); }

  void begin() {
    start([this](actors::root_config& with) {
      with.audit = true;
      with.retention.audit = keep_for;
      with.inner_connection = inner.connect();
    });
  }

  v1::ListAuditResponse list(const v1::ListAuditRequest& request = {}) {
    pass(300ms);
    return ask<v1::ListAuditResponse>("Audit.ListAudit", request);
  }
  /// The records, the oldest first, as "METHOD OUTCOME".
  std::vector<std::string> lines() {
    std::vector<std::string> out;
    const auto all = list();
    for (const auto& entry : all.entries())
      out.insert(out.begin(), entry.method() + " " + entry.outcome());
    return out;
  }
  v1::AuditEntry newest() {
    const auto all = list();
    return all.entries().empty() ? v1::AuditEntry{} : all.entries(0);
  }

  result<std::string> cancel(const std::string& queue) {
    api::JobCancelRequest request;
    request.set_queue(queue);
    request.set_job_set_id("set");
    request.set_reason("wrong data");
    return call("Submit.CancelJobs", request);
  }
  /// Calls as `as` does over gRPC.
  ec call_inner(const std::string& method, const google::protobuf::MessageLite& request) {
    auto with = bus::caller_headers(as);
    bus::set_way(with, "grpc", "ipv4:10.0.0.7:4711");
    return outcome_by(*transport, method, request, with);
  }

  std::chrono::nanoseconds keep_for = 90 * 24h;
  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  access::principal as = access::make_principal({"ann", {}, {}, {}, access::scheme::oidc}, {});
};

TEST(audit_methods, know_every_method_of_the_gateway) {
  for (const auto& [name, served] : actors::all_methods())
    EXPECT_NE(codec::effect_of(name), codec::call_effect::unlisted)
        << name << ": say in audited_methods.cpp whether it changes something";
}

TEST_F(audit, records_what_is_done_and_what_is_refused_and_no_reads) {
  create_queue("q");
  submit("q", {.count = 3});
  ASSERT_EQ(cancel("none").error().code, ec::not_found);
  jobs("q");
  nodes();
  EXPECT_THAT(lines(), ElementsAre("Submit.CreateQueue ok", "Submit.SubmitJobs ok",
                                   "Submit.CancelJobs not_found"));
  const auto all = list();
  const auto& submitted = all.entries(1);
  EXPECT_EQ(submitted.user() + " by " + submitted.proof(), "anonymous by nats");
  EXPECT_EQ(submitted.via(), "nats");
  EXPECT_EQ(submitted.peer(), "");
  EXPECT_EQ(submitted.queue(), "q");
  EXPECT_EQ(submitted.job_set(), "set");
  EXPECT_EQ(submitted.jobs(), 3U);
  EXPECT_GT(submitted.time_ns(), 1'700'000'000'000'000'000);
  EXPECT_EQ(submitted.number(), 2U);
  const auto& refused = all.entries(0);
  EXPECT_EQ(refused.queue(), "none");
  EXPECT_EQ(refused.detail(), "queue 'none' does not exist");
  EXPECT_EQ(refused.summary(), "reason: wrong data");
}

TEST_F(audit, records_no_submission_that_is_only_checked) {
  create_queue("q");
  ASSERT_TRUE(call("Submit.SubmitJobs", make_submit("q"), {{"argosy-mode", "check"}}));
  ASSERT_FALSE(call("Nothing.AtAll", api::Queue{}));
  EXPECT_THAT(lines(), ElementsAre("Submit.CreateQueue ok"));
}

TEST_F(audit, records_requests_that_do_not_decode_or_are_partly_done) {
  std::optional<result<bus::frame>> got;
  client->request("argosy.api.Submit.DeleteQueue", "\xff\xff", {}, 10s,
                  [&](result<bus::frame> reply) { got = std::move(reply); });
  pass();
  ASSERT_TRUE(got);
  EXPECT_EQ(newest().outcome(), "invalid_argument");
  EXPECT_EQ(newest().method(), "Submit.DeleteQueue");
  api::QueueList list;
  for (const auto* name : {"a", "b"}) {
    auto& queue = *list.add_queues();
    queue.set_name(name);
    queue.set_priority_factor(*name == 'a' ? 1 : -1);
  }
  ASSERT_TRUE(call("Submit.CreateQueues", list));
  EXPECT_EQ(newest().outcome(), "ok");
  EXPECT_THAT(newest().detail(), HasSubstr("1 of 2 queues were not written: "));
  EXPECT_EQ(newest().summary(), "queues a, b");
}

TEST_F(audit, delays_no_answer) {
  create_queue("q");
  pass(300ms);
  const auto before = log->info()->last_position;
  submit("q");
  EXPECT_EQ(log->info()->last_position, before + 1) << "the jobs alone are in the log";
  pass(300ms);
  EXPECT_GT(log->info()->last_position, before + 1);
}

TEST_F(audit, says_who_called_over_a_transport_of_the_process) {
  create_queue("q");
  ASSERT_EQ(call_inner("Submit.SubmitJobs", make_submit("q")), ec::none);
  auto entry = newest();
  EXPECT_EQ(entry.user() + " by " + entry.proof(), "ann by oidc");
  EXPECT_EQ(entry.via(), "grpc");
  EXPECT_EQ(entry.peer(), "10.0.0.7:4711");
  as.permissions = {};
  ASSERT_EQ(call_inner("Submit.SubmitJobs", make_submit("q")), ec::denied);
  entry = newest();
  EXPECT_EQ(entry.outcome(), "denied");
  EXPECT_THAT(entry.detail(), HasSubstr("user 'ann' may not do this"));
  api::QueueDeleteRequest gone;
  gone.set_name("q");
  ASSERT_EQ(call_inner("Submit.DeleteQueue", gone), ec::denied);
  EXPECT_EQ(newest().method(), "Submit.DeleteQueue");
  EXPECT_EQ(newest().queue(), "q")
      << "also what is refused before it is read says what it is about";
}

TEST_F(audit, names_whom_a_transport_did_not_believe) {
  auto with = bus::caller_headers({"mallory", {}, {}, access::scheme::basic});
  bus::set_way(with, "rest", "ipv6:%5B::1%5D:99");
  const std::string subject = "argosy.api." + std::string{bus::refused_caller_method};
  ASSERT_TRUE(transport->publish(subject, "the password is wrong", with));
  ASSERT_TRUE(client->publish(subject, "only transports of the process say so", with));
  EXPECT_THAT(lines(), ElementsAre("log-in denied"));
  EXPECT_EQ(newest().user() + " by " + newest().proof(), "mallory by basic");
  EXPECT_EQ(newest().via(), "rest");
  EXPECT_EQ(newest().peer(), "[::1]:99");
  EXPECT_EQ(newest().detail(), "the password is wrong");
}

TEST_F(audit, is_read_by_operators_alone) {
  as.permissions = access::granted_to(access::role::submitter);
  EXPECT_EQ(call_inner("Audit.ListAudit", v1::ListAuditRequest{}), ec::denied);
  as.permissions = {access::permission::read_audit};
  EXPECT_EQ(call_inner("Audit.ListAudit", v1::ListAuditRequest{}), ec::none);
  EXPECT_THAT(lines(), ElementsAre("Audit.ListAudit denied"));
}

TEST_F(audit, claims_of_a_client_over_nats_count_for_nothing) {
  create_queue("q");
  auto with = bus::caller_headers(as);
  bus::set_way(with, "grpc", "ipv4:10.0.0.7:4711");
  ASSERT_TRUE(call("Submit.SubmitJobs", make_submit("q"), with));
  EXPECT_EQ(newest().user(), "anonymous");
  EXPECT_EQ(newest().via(), "nats");
  EXPECT_EQ(newest().peer(), "");
}

TEST_F(audit, outlives_a_crash_and_goes_on_counting) {
  create_queue("q");
  submit("q");
  ASSERT_EQ(lines().size(), 2U);
  crash();
  begin();
  ASSERT_FALSE(cancel("none"));
  EXPECT_THAT(lines(), ElementsAre("Submit.CreateQueue ok", "Submit.SubmitJobs ok",
                                   "Submit.CancelJobs not_found"));
  EXPECT_EQ(newest().number(), 3U);
}

TEST_F(audit, is_rebuilt_from_the_log) {
  create_queue("q");
  ASSERT_EQ(lines().size(), 1U);
  crash();
  database = std::make_shared<store::memory_database>();
  begin();
  submit("q");
  EXPECT_THAT(lines(), ElementsAre("Submit.CreateQueue ok", "Submit.SubmitJobs ok"));
}

TEST_F(audit, loses_nothing_when_the_process_ends_in_order) {
  create_queue("q");
  for (int i = 0; i < 40; ++i) ASSERT_FALSE(cancel("none"));
  stop();
  EXPECT_THAT(failures, IsEmpty());
  begin();
  const auto all = list();
  ASSERT_EQ(all.entries_size(), 32);
  EXPECT_EQ(all.entries(31).method(), "Submit.CreateQueue");
  EXPECT_EQ(all.entries(0).left_out(), 10U) << "what is only counted is written as well";
}

TEST_F(audit, names_a_call_that_the_end_left_unanswered) {
  create_queue("q");
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent->obeys_stops = false;
  submit("q");
  pass(1s);
  ASSERT_TRUE(cancel("q"));
  api::QueueDeleteRequest gone;
  gone.set_name("q");
  client->request("argosy.api.Submit.DeleteQueue", gone.SerializeAsString(), {}, 10s,
                  [](const result<bus::frame>&) {});
  settle();
  stop();
  begin();
  EXPECT_EQ(newest().method(), "Submit.DeleteQueue");
  EXPECT_EQ(newest().outcome(), "unanswered");
  EXPECT_EQ(newest().queue(), "q");
  broker.advance(11s);
}

TEST_F(audit, counts_a_flood_of_refused_calls) {
  create_queue("q");
  for (int i = 0; i < 100; ++i) ASSERT_FALSE(cancel("none"));
  submit("q");
  EXPECT_EQ(list().entries_size(), 32) << "the queue, thirty refusals, and the jobs";
  pass(61s);
  const auto rest = newest();
  EXPECT_EQ(rest.outcome(), "left_out");
  EXPECT_EQ(rest.left_out(), 70U);
  EXPECT_EQ(rest.user(), "anonymous");
  EXPECT_EQ(list().entries_size(), 33);
}

TEST_F(audit, is_listed_by_filters_and_in_pages) {
  create_queue("a");
  create_queue("b");
  submit("b");
  ASSERT_FALSE(cancel("none"));
  v1::ListAuditRequest request;
  request.set_queue("b");
  request.set_method("SubmitJobs");
  request.set_user("anonymous");
  EXPECT_EQ(list(request).entries_size(), 1);
  request = {};
  request.set_outcome("refused");
  EXPECT_EQ(list(request).entries_size(), 1);
  request = {};
  request.set_limit(3);
  const auto first = list(request);
  ASSERT_EQ(first.entries_size(), 3);
  ASSERT_NE(first.cursor(), "");
  request.set_cursor(first.cursor());
  EXPECT_EQ(list(request).entries_size(), 1);
  request.set_cursor("0x");
  EXPECT_EQ(call("Audit.ListAudit", request).error().code, ec::invalid_argument);
  request = {};
  request.set_outcome("refuse");
  EXPECT_EQ(call("Audit.ListAudit", request).error().code, ec::invalid_argument);
  for (const std::string service : {"", "Submit."}) {
    request = {};
    request.set_method(service + "CancelJob");
    const auto refused = call("Audit.ListAudit", request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ec::not_found);
    EXPECT_EQ(refused.error().detail, "there is no method '" + service +
                                          "CancelJob'; did you mean '" + service + "CancelJobs'?");
    request.set_method(service + "DeleteQueue");
    EXPECT_EQ(list(request).entries_size(), 0) << "nobody has called it";
  }
}

TEST_F(audit, expires) {
  stop();
  keep_for = 60s;
  begin();
  create_queue("q");
  pass(30s);
  submit("q");
  EXPECT_EQ(list().entries_size(), 2);
  pass(45s);
  EXPECT_THAT(lines(), ElementsAre("Submit.SubmitJobs ok"));
}

}  // namespace argosy::tests
