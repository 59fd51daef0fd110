// SPDX-License-Identifier: Apache-2.0
// Goal: no two live runs share a user, and a job gets another user only if the operator lists it.
// Method: rules as an operator writes them, and runs that take and release.
#include <gtest/gtest.h>

#include "runtime/backends/process/run_users.hpp"

namespace argosy::backends {

namespace {

run_users with_range() {
  user_rules rules;
  rules.own = model::id_range{2'000'000, 2'000'002};
  rules.allowed_users = {65534};
  rules.allowed_groups = {100};
  return run_users{rules};
}

}  // namespace

TEST(run_users, gives_each_live_run_a_user_of_its_own) {
  auto users = with_range();
  users.hold(2'000'001);
  EXPECT_EQ(users.take({}).value(), (run_identity{2'000'000, 2'000'000}));
  EXPECT_EQ(users.take({}).value(), (run_identity{2'000'002, 2'000'002}));
  EXPECT_EQ(users.take({}).error().code, ec::overloaded);
  users.release(2'000'001);
  EXPECT_EQ(users.take({}).value().user, 2'000'001u);
}

TEST(run_users, refuses_what_the_operator_has_not_listed_and_names_the_setting) {
  auto users = with_range();
  const auto root = users.take({0, std::nullopt});
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, ec::denied);
  EXPECT_NE(root.error().detail.find("process.allowedUsers"), std::string::npos);
  const auto group = users.take({std::nullopt, 6});
  ASSERT_FALSE(group);
  EXPECT_NE(group.error().detail.find("process.allowedGroups"), std::string::npos);
  EXPECT_EQ(users.take({65534, std::nullopt}).value(), (run_identity{65534, 65534}));
  EXPECT_EQ(users.take({65534, 100}).value(), (run_identity{65534, 100}));
}

TEST(run_users, without_a_range_are_the_agents_own) {
  user_rules rules;
  rules.agent_user = 1000;
  rules.agent_group = 1000;
  run_users users{rules};
  EXPECT_EQ(users.take({}).value(), run_identity{});
  EXPECT_EQ(users.take({1000, 1000}).value(), (run_identity{1000, 1000}));
  EXPECT_EQ(users.take({0, std::nullopt}).error().code, ec::denied);
}

TEST(run_users, of_a_development_server_may_be_anybody) {
  user_rules rules;
  rules.any_allowed = true;
  run_users users{rules};
  EXPECT_EQ(users.take({}).value(), run_identity{}) << "the user who started the server";
  EXPECT_EQ(users.take({65534, 100}).value(), (run_identity{65534, 100}));
}

TEST(run_users, are_read_from_a_range) {
  EXPECT_EQ(model::parse_id_range("2000000-2065535").value(),
            (model::id_range{2'000'000, 2'065'535}));
  for (const auto* wrong : {"", "5", "0-9", "9-5", "1-x", "-1-5", "1-4294967295"})
    EXPECT_FALSE(model::parse_id_range(wrong)) << wrong;
}

}  // namespace argosy::backends
