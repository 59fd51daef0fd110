// SPDX-License-Identifier: Apache-2.0
// Goal: the subject of a request over NATS says who sends it and whether his role has been checked,
// and nobody reaches the rights of another by it. Method: subjects in, callers out.
#include "runtime/access/nats_caller.hpp"

#include <gmock/gmock.h>

#include "runtime/access/action.hpp"
#include "runtime/access/credentials.hpp"

namespace argosy::access {

namespace {

using ::testing::ElementsAre;

principal sender(const std::string& subject, const user_directory& users = {}) {
  return nats_caller(parse_api_subject(subject), users);
}

TEST(nats_callers, who_are_no_tenants_may_do_what_the_nats_server_lets_through) {
  for (const auto& [subject, name] : std::vector<std::pair<std::string, std::string>>{
           {whole_subject("alice", "Submit.SubmitJobs"), "alice"},
           {api_subject("", "Submit.SubmitJobs"), ""},
           {whole_subject("tenant", "Submit.SubmitJobs"), "tenant"}}) {
    const auto who = sender(subject);
    EXPECT_EQ(who.name, name);
    EXPECT_EQ(who.by, scheme::nats);
    EXPECT_TRUE(who.role_checked);
    EXPECT_TRUE(who.permissions.has_all());
  }
}

TEST(nats_callers, see_specifications_whole_only_where_the_nats_server_lets_operators_alone) {
  EXPECT_EQ(whole_subject("ann", "Jobs.GetJobDetails"), "argosy.api.ann.whole.Jobs.GetJobDetails");
  const auto plain = sender(api_subject("ann", "Jobs.GetJobDetails"));
  EXPECT_FALSE(plain.permissions.has(permission::view_specifications));
  EXPECT_TRUE(plain.permissions.has(permission::create_queue)) << "all others";
  EXPECT_TRUE(sees_environment(plain, "ann"));
  EXPECT_FALSE(sees_environment(plain, "bob"));
  const auto whole = sender(whole_subject("ann", "Jobs.GetJobDetails"));
  EXPECT_TRUE(sees_environment(whole, "bob"));
  const auto subject = whole_subject("ann", "Jobs.GetJobDetails");
  const auto asked = parse_api_subject(subject);
  EXPECT_EQ(asked.user, "ann");
  EXPECT_EQ(asked.method, "Jobs.GetJobDetails");
  EXPECT_FALSE(asked.tenant);
  user_directory users;
  users.groups["ann"] = {"auditors"};
  users.rules = {{permission::view_specifications, {"auditors"}, {}, {}}};
  EXPECT_TRUE(sees_environment(sender(api_subject("ann", "Jobs.GetJobDetails"), users), "bob"));
  // A user whose name is the mark is no operator by it.
  EXPECT_FALSE(sees_environment(sender(api_subject("whole", "Jobs.GetJobDetails")), "bob"));
}

TEST(nats_callers, who_are_tenants_have_the_permissions_of_their_groups_alone) {
  const auto subject = tenant_subject("ann", "Submit.SubmitJobs");
  EXPECT_EQ(subject, "argosy.api.ann.tenant.Submit.SubmitJobs");
  auto who = sender(subject);
  EXPECT_EQ(who.name, "ann");
  EXPECT_FALSE(who.role_checked);
  EXPECT_EQ(who.permissions, permission_set{});
  EXPECT_THAT(who.groups, ElementsAre("everyone"));
  user_directory users;
  users.groups["ann"] = {"staff"};
  users.groups["bob"] = {"admins"};
  users.rules = {{permission::cordon_queue, {"staff"}, {}, {}},
                 {permission::create_queue, {"everyone"}, {}, {}},
                 {permission::submit_any_jobs, {"admins"}, {}, {}}};
  who = sender(subject, users);
  EXPECT_THAT(who.groups, ElementsAre("everyone", "staff"));
  EXPECT_EQ(who.permissions, (permission_set{permission::cordon_queue, permission::create_queue}));
}

TEST(nats_callers,
     with_a_proof_of_their_own_have_the_rights_of_that_and_the_limits_of_the_subject) {
  principal proved{"carl", {"everyone"}, {permission::watch_all_events}, scheme::oidc, {}};
  for (const bool tenant : {false, true}) {
    const auto who = nats_caller({"ann", "Event.Watch", tenant}, proved);
    EXPECT_EQ(who.name, "carl");
    EXPECT_EQ(who.by, scheme::oidc);
    EXPECT_EQ(who.permissions, proved.permissions);
    EXPECT_EQ(who.role_checked, !tenant);
  }
}

TEST(tenant_subjects, are_told_from_all_others) {
  const auto call = parse_api_subject("argosy.api.ann.tenant.Query.ListJobs");
  EXPECT_EQ(call.user, "ann");
  EXPECT_EQ(call.method, "Query.ListJobs");
  EXPECT_TRUE(call.tenant);
  EXPECT_TRUE(may_answer_to(call, "_INBOX.user.ann.x"));
  EXPECT_FALSE(may_answer_to(call, "_INBOX.user.bob.x"));
  for (const auto* other :
       {"argosy.api.tenant.Query.ListJobs", "argosy.api.ann.Query.ListJobs",
        "argosy.api.Query.ListJobs", "argosy.api.ann.tenants.Query.ListJobs",
        "argosy.api.ann.x.tenant.Query.ListJobs", "argosy.api.ann.tenant.ListJobs"})
    EXPECT_FALSE(parse_api_subject(other).tenant) << other;
}

/// A list that allowed a tenant another subject would let him choose that nobody asks queues.
TEST(tenants, may_publish_under_their_mark_alone_and_viewers_and_submitters_never_there) {
  EXPECT_THAT(permissions_of(role::tenant, "ann").publish, ElementsAre("argosy.api.ann.tenant.>"));
  EXPECT_THAT(permissions_of(role::tenant, "ann").subscribe,
              ElementsAre("_INBOX.user.ann.> replies", "_INBOX.user.ann.unserved.>"));
  EXPECT_EQ(granted_to(role::tenant), permission_set{});
  for (const auto other : {role::viewer, role::submitter})
    for (const auto& subject : permissions_of(other, "ann").publish)
      EXPECT_FALSE(subject.ends_with(">") || subject.find(".tenant.") != std::string::npos);
}

TEST(tenants, are_known_by_their_credentials) {
  credentials of_ann{{party::user, "ann"},
                     "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"};
  EXPECT_FALSE(parse_credentials(print_credentials(of_ann))->tenant);
  of_ann.tenant = true;
  EXPECT_TRUE(parse_credentials(print_credentials(of_ann))->tenant);
}

}  // namespace

}  // namespace argosy::access
