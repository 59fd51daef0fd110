// SPDX-License-Identifier: Apache-2.0
// Goal: every action is allowed to whom it should be, and to nobody else.
// Method: a table of all actions against each kind of caller, on one queue.
#include "runtime/access/action.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace argosy::access {

namespace {

/// What each action takes, as the API documents it.
struct needed {
  action what;
  std::string permission;  ///< Empty: nothing.
  std::string verb;        ///< Empty: no verb is enough.
};

const std::vector<needed> expectations{
    {action::read, "", ""},
    {action::submit, "submit_any_jobs", "submit"},
    {action::cancel, "cancel_any_jobs", "cancel"},
    {action::preempt, "preempt_any_jobs", "preempt"},
    {action::reprioritize, "reprioritize_any_jobs", "reprioritize"},
    {action::watch, "watch_all_events", "watch"},
    {action::read_logs, "read_any_logs", "watch"},
    {action::write_queue, "create_queue", ""},
    {action::delete_queue, "delete_queue", ""},
    {action::cordon_queue, "cordon_queue", ""},
    {action::cancel_anywhere, "cancel_any_jobs", ""},
    {action::preempt_anywhere, "preempt_any_jobs", ""},
    {action::update_executors, "update_executor_settings", ""},
    {action::create_retry_policy, "create_retry_policy", ""},
    {action::update_retry_policy, "update_retry_policy", ""},
    {action::delete_retry_policy, "delete_retry_policy", ""},
    {action::cordon_nodes, "cordon_nodes", ""},
    {action::execute, "execute_jobs", ""},
    {action::report_spans, "report_spans", ""},
    {action::read_audit, "read_audit", ""},
    {action::change_settings, "change_settings", ""},
    {action::view_specifications, "view_specifications", "watch"},
    {action::unlisted, "all", ""},
};

const std::vector<std::string> verbs{"submit", "cancel", "preempt", "reprioritize", "watch"};

/// A queue whose verbs are each granted to a user and to a group that are named after the verb.
model::queue_settings make_queue() {
  model::queue_settings out;
  out.name = "q";
  out.owners = {"olga"};
  out.group_owners = {"owners"};
  for (const auto& verb : verbs)
    out.permissions.push_back({{{"User", verb + "-user"}, {"Group", verb + "-group"}}, {verb}});
  // A kind that is not known grants nothing.
  out.permissions.push_back({{{"Robot", "olaf"}}, verbs});
  return out;
}

principal named(const std::string& name, const std::vector<std::string>& groups = {}) {
  return make_principal({name, groups, {}, {}}, {});
}

TEST(actions, are_allowed_to_whom_they_should_be) {
  const auto queue = make_queue();
  ASSERT_EQ(expectations.size(), action_rules().size());
  for (const auto& row : expectations) {
    const auto place = std::string{"action "} + std::to_string(static_cast<int>(row.what));
    EXPECT_EQ(rule_of(row.what).what, row.what) << place;
    const bool free = row.permission.empty();
    const bool by_verb = !row.verb.empty();

    EXPECT_EQ(may(named("nobody"), row.what), free) << place;
    EXPECT_EQ(may(named("nobody"), row.what, queue), free) << place;
    EXPECT_EQ(may({}, row.what, queue), free) << place;
    EXPECT_EQ(may(named("olaf"), row.what, queue), free) << place;
    EXPECT_EQ(may(named("olga"), row.what, queue), free || by_verb) << place;
    EXPECT_EQ(may(named("olga"), row.what), free) << place << " in other queues";
    EXPECT_EQ(may(named("x", {"owners"}), row.what, queue), free || by_verb) << place;
    EXPECT_EQ(may(named("owners", {"olga"}), row.what, queue), free) << place;
    for (const auto& verb : verbs) {
      EXPECT_EQ(may(named(verb + "-user"), row.what, queue), free || verb == row.verb) << place;
      EXPECT_EQ(may(named("x", {verb + "-group"}), row.what, queue), free || verb == row.verb)
          << place;
      EXPECT_EQ(may(named(verb + "-group", {verb + "-user"}), row.what, queue), free) << place;
    }
    for (std::size_t i = 0; i < permission_count; ++i) {
      const auto one = static_cast<permission>(i);
      principal holder;
      holder.permissions.add(one);
      const bool expected = free || to_string(one) == row.permission;
      EXPECT_EQ(may(holder, row.what), expected) << place << " " << to_string(one);
      EXPECT_EQ(may(holder, row.what, queue), expected) << place << " " << to_string(one);
    }
    principal all;
    all.permissions = permission_set::all();
    EXPECT_TRUE(may(all, row.what)) << place;
    EXPECT_TRUE(may(all, row.what, queue)) << place;
    EXPECT_EQ(may_somewhere(named("nobody"), row.what), free || by_verb) << place;
  }
}

TEST(actions, need_a_permission_that_groups_scopes_and_claims_give) {
  const std::vector<permission_rule> rules{
      {permission::submit_any_jobs, {"staff"}, {}, {}},
      {permission::cancel_any_jobs, {}, {"cancel:all"}, {}},
      {permission::watch_all_events, {}, {}, {"watcher"}},
      {permission::create_queue, {"everyone"}, {}, {}},
      {permission::create_queue, {"admins"}, {}, {}},
  };
  const auto permissions = [&](attributes who) { return make_principal(who, rules).permissions; };
  using enum permission;
  EXPECT_EQ(permissions({"a", {}, {}, {}}), permission_set{create_queue});
  EXPECT_EQ(permissions({"a", {"staff"}, {}, {}}), (permission_set{create_queue, submit_any_jobs}));
  EXPECT_EQ(permissions({"a", {}, {"x", "cancel:all"}, {}}),
            (permission_set{create_queue, cancel_any_jobs}));
  EXPECT_EQ(permissions({"a", {}, {}, {"watcher"}}),
            (permission_set{create_queue, watch_all_events}));
  EXPECT_EQ(permissions({"a", {"watcher", "cancel:all"}, {"staff"}, {"staff"}}),
            permission_set{create_queue})
      << "a name of one kind is none of another";
}

TEST(actions, of_a_principal_know_each_group_once_and_in_order) {
  const auto who = make_principal({"ann", {"z", "a", "everyone", "z"}, {}, {}}, {});
  EXPECT_EQ(who.groups, (std::vector<std::string>{"a", "everyone", "z"}));
}

TEST(actions, have_names_that_are_read_back) {
  std::set<std::string_view> seen;
  for (const auto& rule : action_rules()) {
    if (rule.name.empty()) continue;
    EXPECT_TRUE(seen.insert(rule.name).second) << rule.name;
    EXPECT_EQ(parse_action(rule.name), rule.what);
  }
  EXPECT_EQ(parse_action(""), std::nullopt);
  EXPECT_EQ(parse_action("fly"), std::nullopt);
  for (std::size_t i = 0; i < permission_count; ++i)
    EXPECT_EQ(parse_permission(to_string(static_cast<permission>(i))), static_cast<permission>(i));
  EXPECT_EQ(parse_permission("fly"), std::nullopt);
}

TEST(actions, that_are_refused_say_what_is_missing) {
  EXPECT_EQ(refusal(named("ann"), action::submit, "q").detail,
            "user 'ann' may not do this: it takes the permission submit_any_jobs, or the verb "
            "'submit' on queue 'q'");
  EXPECT_EQ(refusal({}, action::write_queue, "").detail,
            "user 'anonymous' may not do this: it takes the permission create_queue");
  EXPECT_EQ(refusal({}, action::write_queue, "").code, ec::denied);
}

}  // namespace

}  // namespace argosy::access
