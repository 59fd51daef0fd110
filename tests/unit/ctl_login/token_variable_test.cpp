// SPDX-License-Identifier: Apache-2.0
// Goal: a program that has a token needs no login. Method: the whole command line against a
// scripted server, with ARGOSY_TOKEN in the environment.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class token_variable : public cli_fixture {
 protected:
  token_variable() {
    variables["ARGOSY_TOKEN"] = "of-a-robot";
    server->always("Query.ListQueues", argosy::v1::ListQueuesResponse{});
  }
  std::string shown_token() const {
    const auto got = connected.token ? connected.token() : result<std::string>{"none"};
    return got ? *got : got.error().detail;
  }
};

TEST_F(token_variable, is_shown_without_a_context) {
  variables["ARGOSY_SERVER"] = "nats://127.0.0.1:4222";
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
  EXPECT_EQ(shown_token(), "of-a-robot");
  variables["ARGOSY_TOKEN"] = "";
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
  EXPECT_EQ(shown_token(), "none");
}

TEST_F(token_variable, comes_before_the_login_of_a_context) {
  variables.erase("ARGOSY_SERVER");
  const auto folder = home / ".config/argosy";
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "config.yaml"}
      << "currentContext: work\ncontexts:\n  work: {server: \"tls://h:4222\", oidcIssuer: "
         "\"https://login.example.com\", oidcClientId: argosy}\n";
  std::filesystem::permissions(folder / "config.yaml", std::filesystem::perms::owner_read);
  const auto got = run({"get", "queues"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(shown_token(), "of-a-robot") << "and nobody had to log in";
}

TEST_F(token_variable, is_sent_unencrypted_to_no_other_machine) {
  variables.erase("ARGOSY_SERVER");
  const auto got = run({"get", "queues", "--server", "nats://h:4222"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_THAT(got.err, HasSubstr("the token of ARGOSY_TOKEN is not sent unencrypted"));
  EXPECT_THAT(got.err, Not(HasSubstr("of-a-robot")));
  EXPECT_EQ(run({"get", "queues", "--server", "tls://h:4222"}).code, exit_code::success);
}

}  // namespace

}  // namespace argosy::ctl
