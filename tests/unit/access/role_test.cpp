// SPDX-License-Identifier: Apache-2.0
// Goal: what a role may call over one transport it may call over the other. Method: the lists of
// the nats-server against the permissions of the role, for every method of the API.
#include "runtime/access/role.hpp"

#include <gtest/gtest.h>

#include "messages/codec/api/method_list.hpp"
#include "runtime/access/action.hpp"
#include "runtime/access/methods.hpp"

#include <algorithm>
#include <set>

namespace argosy::access {

namespace {

bool permitted_by_server(role value, const std::string& method) {
  const auto subject = api_subject("ann", method);
  const auto any_query = api_subject("ann", "Query.*");
  return std::ranges::any_of(permissions_of(value, "ann").publish, [&](const std::string& entry) {
    return entry == subject || entry == api_subject("ann", ">") ||
           (entry == any_query && method.starts_with("Query."));
  });
}

/// Whether the permissions of the role allow it to whoever is named on no queue.
bool permitted_by_rules(role value, const std::string& method) {
  return may({"ann", {}, granted_to(value)}, action_of(method));
}

/// What permissions allow besides what the lists have. They are Armada's permissions, which do not
/// tell these from other methods: whoever may cancel any job may cancel all of a queue.
bool allowed_by_permission_only(const std::string& method) {
  const auto what = action_of(method);
  return what == action::cancel_anywhere || what == action::preempt_anywhere ||
         method.starts_with("RetryPolicyService.Get") || what == action::read;
}

TEST(roles, may_call_over_grpc_what_they_may_call_over_nats) {
  std::vector<std::string> methods{"Query.Whatever", "Queryx.ListJobs", "Submit.Whatever", ""};
  for (const auto& method : codec::api_methods()) methods.push_back(method.name);
  for (const auto value : {role::viewer, role::submitter, role::operator_, role::owner})
    for (const auto& method : methods) {
      const bool by_rules = permitted_by_rules(value, method);
      if (by_rules && allowed_by_permission_only(method)) continue;
      EXPECT_EQ(by_rules, permitted_by_server(value, method)) << to_string(value) << " " << method;
    }
}

TEST(roles, of_machines_may_call_nothing_of_the_api) {
  for (const auto value : {role::control_plane, role::agent}) {
    EXPECT_EQ(granted_to(value), permission_set{});
    for (const auto& method : codec::api_methods())
      EXPECT_FALSE(permitted_by_server(value, method.name)) << method.name;
  }
}

TEST(roles, know_what_each_method_takes) {
  for (const auto& method : codec::api_methods())
    EXPECT_NE(action_of(method.name), action::unlisted) << method.name;
}

TEST(methods, have_one_row_each_and_no_other_right_than_a_service_that_is_let_through) {
  std::set<std::string_view> seen;
  for (const auto& row : method_rows()) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
    const auto service = row.name.substr(0, row.name.find('.') + 1);
    const auto* whole = row_of(service);
    EXPECT_EQ(row.what, whole == nullptr ? row.what : whole->what) << row.name;
    EXPECT_TRUE(row.name == service || codec::descriptor_of(row.name) != nullptr) << row.name;
  }
}

}  // namespace

}  // namespace argosy::access
