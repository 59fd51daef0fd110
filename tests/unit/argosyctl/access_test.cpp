// SPDX-License-Identifier: Apache-2.0
// Goal: users see who they are to the server and what they may do, and scripts by the exit code.
// Method: the whole command line against a scripted server, also one behind a NATS server that
// refuses what a role lacks.
#include <gmock/gmock.h>

#include "messages/proto/argosy/access.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::HasSubstr;

class access_verbs : public cli_fixture {
 protected:
  void serve_me(const std::string& scheme, const std::string& nats_role = {}) {
    argosy::v1::WhoAmIResponse me;
    me.set_name("ann");
    me.add_groups("everyone");
    me.add_groups("staff");
    me.set_scheme(scheme);
    if (!nats_role.empty()) me.set_nats_role(nats_role);
    me.add_permissions("submit_any_jobs");
    me.add_permissions("create_queue");
    if (scheme == "oidc") me.add_scopes("jobs:write");
    server->always("Access.WhoAmI", me);
  }
  void serve_answer(bool allowed, const std::string& reason, const std::string& nats_role = {}) {
    argosy::v1::CanIResponse answer;
    answer.set_allowed(allowed);
    answer.set_reason(reason);
    answer.set_nats_role(nats_role);
    server->always("Access.CanI", answer);
  }
  /// The NATS server knows the user as a submitter.
  void serve_submitter() {
    server->always("Access.AsSubmitter", argosy::v1::AsRoleResponse{});
    server->refuse("Access.AsOperator", {ec::denied, "not permitted to send"});
  }
};

TEST_F(access_verbs, show_who_the_user_is) {
  serve_me("oidc");
  const auto got = run({"whoami"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out,
            "name         ann\n"
            "scheme       oidc\n"
            "groups       everyone, staff\n"
            "permissions  submit_any_jobs, create_queue\n"
            "scopes       jobs:write\n");
  EXPECT_EQ(
      run({"whoami", "-o", "json"}).out,
      "{\"name\":\"ann\",\"groups\":[\"everyone\",\"staff\"],\"scheme\":\"oidc\","
      "\"permissions\":[\"submit_any_jobs\",\"create_queue\"],\"scopes\":[\"jobs:write\"]}\n");
}

TEST_F(access_verbs, show_the_role_of_a_user_of_nats_and_what_it_allows) {
  serve_me("nats");
  serve_submitter();
  const auto got = run({"whoami"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_THAT(got.out, HasSubstr("role         submitter\n"));
  EXPECT_THAT(got.out, HasSubstr("submit_any_jobs"));
  EXPECT_THAT(got.out, ::testing::Not(HasSubstr("create_queue")));
  EXPECT_THAT(run({"whoami", "-o", "json"}).out, HasSubstr(",\"role\":\"submitter\"}\n"));
}

TEST_F(access_verbs, show_a_tenant_the_permissions_that_the_server_tells) {
  serve_me("nats", "tenant");
  const auto got = run({"whoami"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out,
            "name         ann\n"
            "scheme       nats\n"
            "role         tenant\n"
            "groups       everyone, staff\n"
            "permissions  submit_any_jobs, create_queue\n");
  EXPECT_THAT(run({"whoami", "-o", "json"}).out, HasSubstr(",\"role\":\"tenant\"}\n"));
  EXPECT_EQ(server->calls("Access.AsSubmitter"), 0U) << "the server knows";
}

TEST_F(access_verbs, tell_whom_a_token_proves_that_his_role_has_to_be_enough_as_well) {
  serve_submitter();
  serve_answer(true, "user 'ann' owns queue 'a'", "submitter");
  EXPECT_EQ(run({"auth", "can-i", "submit", "a"}).out,
            "yes: user 'ann' owns queue 'a'; the NATS server lets users of the role submitter or a "
            "higher one do this, as you are\n");
  serve_answer(true, "user 'ann' has the permission create_queue", "operator");
  EXPECT_EQ(run({"auth", "can-i", "create-queue"}).code, exit_code::denied);
}

TEST_F(access_verbs, answer_what_the_user_may_do_by_the_exit_code) {
  serve_answer(true, "user 'ann' owns queue 'a'");
  auto got = run({"auth", "can-i", "submit", "a"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, "yes: user 'ann' owns queue 'a'\n");
  const auto sent = server->nth<argosy::v1::CanIRequest>("Access.CanI");
  EXPECT_EQ(sent.what(), "submit");
  EXPECT_EQ(sent.queue(), "a");
  serve_answer(false, "user 'ann' lacks it");
  got = run({"auth", "can-i", "submit_any_jobs"});
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_EQ(got.out, "no: user 'ann' lacks it\n");
  got = run({"auth", "can-i", "submit", "a", "-o", "json"});
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_EQ(got.out, "{\"allowed\":false,\"reason\":\"user 'ann' lacks it\"}\n");
  server->refuse("Access.CanI", {ec::not_found, "queue 'no' does not exist"});
  EXPECT_EQ(run({"auth", "can-i", "submit", "no"}).code, exit_code::not_found);
  EXPECT_EQ(run({"auth", "can-i"}).code, exit_code::usage);
}

TEST_F(access_verbs, ask_the_nats_server_whether_the_role_is_enough) {
  serve_submitter();
  serve_answer(true, "", "submitter");
  EXPECT_EQ(run({"auth", "can-i", "submit"}).out,
            "yes: the NATS server lets users of the role submitter or a higher one do this, as you "
            "are\n");
  serve_answer(true, "x", "operator");
  const auto got = run({"auth", "can-i", "create-queue"});
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_EQ(got.out,
            "no: the NATS server lets only users of the role operator or a higher one do this\n");
  serve_answer(true, "x", "viewer");
  EXPECT_EQ(run({"auth", "can-i", "read"}).code, exit_code::success);
  server->refuse("Access.AsSubmitter", {ec::unreachable, "gone"});
  serve_answer(true, "x", "submitter");
  EXPECT_EQ(run({"auth", "can-i", "submit"}).code, exit_code::unreachable);
}

}  // namespace argosy::ctl
