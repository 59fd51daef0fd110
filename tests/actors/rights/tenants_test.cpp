// SPDX-License-Identifier: Apache-2.0
// Goal: a tenant of NATS may do what queues allow him and the settings his groups, and nothing
// else. Method: requests under the subjects of tenants, to a control plane that knows groups and
// rules.
#include <gmock/gmock.h>

#include "messages/proto/argosy/audit.pb.h"
#include "runtime/access/identity.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using access::permission;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct tenants : control_plane_test {
  tenants() {
    start([](actors::root_config& config) {
      config.audit = true;
      config.users.groups["ann"] = {"staff"};
      config.users.rules = {{permission::create_queue, {"staff"}, {}, {}}};
    });
    api::Queue queue;
    queue.set_priority_factor(1);
    queue.set_name("bobs");
    queue.add_user_owners("bob");
    auto& entry = *queue.add_permissions();
    entry.add_verbs("cancel");
    auto& subject = *entry.add_subjects();
    subject.set_kind("Group");
    subject.set_name("staff");
    ask<google::protobuf::Empty>("Submit.CreateQueue", queue);
  }

  result<std::string> send(const std::string& user, const std::string& method,
                           const google::protobuf::MessageLite& request,
                           const bus::headers& with = {}) {
    const auto connection = broker.connect("_INBOX.user." + user);
    result<bus::frame> got = fail(ec::internal, "no answer");
    connection->request(access::tenant_subject(user, method), request.SerializeAsString(), with,
                        10s, [&](result<bus::frame> reply) { got = std::move(reply); });
    pass();
    connection->close();
    if (!got) return fail(got.error());
    return got->data;
  }
};

namespace {

TEST_F(tenants, may_do_what_queues_and_groups_allow_them) {
  EXPECT_TRUE(send("bob", "Submit.SubmitJobs", make_submit("bobs")));
  const auto refused = send("ann", "Submit.SubmitJobs", make_submit("bobs"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (error{ec::denied,
                                    "user 'ann' may not do this: it takes the permission "
                                    "submit_any_jobs, or the verb 'submit' on queue 'bobs'"}));
  api::JobSetCancelRequest cancel;
  cancel.set_queue("bobs");
  cancel.set_job_set_id("set");
  EXPECT_TRUE(send("ann", "Submit.CancelJobSet", cancel)) << "her group has the verb";
  EXPECT_EQ(send("eve", "Submit.CancelJobSet", cancel).error().code, ec::denied);
  api::Queue fresh;
  fresh.set_name("anns");
  fresh.set_priority_factor(1);
  EXPECT_EQ(send("bob", "Submit.CreateQueue", fresh).error().code, ec::denied);
  EXPECT_TRUE(send("ann", "Submit.CreateQueue", fresh));
  EXPECT_TRUE(send("ann", "Submit.SubmitJobs", make_submit("anns"))) << "who creates it owns it";
}

TEST_F(tenants, who_show_a_token_that_proves_nobody_are_refused_and_recorded) {
  const auto got =
      send("bob", "Submit.SubmitJobs", make_submit("bobs"), {{"authorization", "Bearer good"}});
  ASSERT_FALSE(got) << "his own rights do not help him";
  EXPECT_EQ(got.error().code, ec::denied);
  EXPECT_THAT(got.error().detail, HasSubstr("this server takes no tokens"));
  pass(300ms);
  const auto records = ask<v1::ListAuditResponse>("Audit.ListAudit", v1::ListAuditRequest{});
  ASSERT_GT(records.entries_size(), 0);
  const auto& last = records.entries(0);
  EXPECT_EQ(last.method(), "log-in");
  EXPECT_EQ(last.user(), "unknown");
  EXPECT_EQ(last.via(), "nats");
}

}  // namespace

/// A server that asks everybody who he is, and of which somebody has a right too many.
struct named_callers : control_plane_test {
  named_callers() {
    start([](actors::root_config& config) { config.users.all_named = true; });
  }

  ec ask_as(const std::string& user, const std::string& inbox) {
    const auto connection = broker.connect(inbox);
    ec got = ec::none;
    connection->request(access::api_subject(user, "Query.GetVersion"), "", {}, 10s,
                        [&](const result<bus::frame>& reply) {
                          if (!reply) got = reply.error().code;
                        });
    pass();
    connection->close();
    return got;
  }
};

TEST_F(named_callers, are_served_and_nobody_without_a_name) {
  EXPECT_EQ(ask_as("ann", "_INBOX.user.ann"), ec::none);
  EXPECT_EQ(ask_as("", "_INBOX"), ec::denied);
}

}  // namespace argosy::tests
