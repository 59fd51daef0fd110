// SPDX-License-Identifier: Apache-2.0
// Goal: what a caller is told about his rights is what would happen, with the reason.
// Method: the answer beside the decision for all actions and kinds of callers, and its sentences.
#include "runtime/access/question.hpp"

#include <gmock/gmock.h>

namespace argosy::access {

namespace {

using ::testing::HasSubstr;

model::queue_settings one_queue() {
  model::queue_settings out;
  out.name = "q";
  out.owners = {"olga"};
  out.group_owners = {"owners"};
  out.permissions.push_back(
      {{{"User", "ann"}, {"Group", "staff"}, {"Robot", "olaf"}}, {"submit", "watch"}});
  return out;
}

principal caller_named(const std::string& name, std::vector<std::string> groups = {}) {
  return make_principal({name, std::move(groups), {}, {}}, {});
}

std::string said(const principal& who, std::string_view word) {
  const auto answer = judge(who, parse_question(word).value(), one_queue());
  return (answer.allowed ? "yes: " : "no: ") + answer.reason;
}

TEST(questions, about_rights_are_answered_as_calls_are_decided) {
  const auto queue = one_queue();
  auto admin = caller_named("root");
  admin.permissions = permission_set::all();
  auto submitter = caller_named("sub");
  submitter.permissions = granted_to(role::submitter);
  for (const auto& who :
       {principal{}, caller_named("ann"), caller_named("olga"), caller_named("x", {"staff"}),
        caller_named("y", {"owners"}), caller_named("olaf"), submitter, admin})
    for (const auto& rule : action_rules()) {
      const question asked{rule.what, {}};
      EXPECT_EQ(judge(who, asked).allowed, may(who, rule.what)) << who.name << rule.name;
      EXPECT_EQ(judge(who, asked, queue).allowed, may(who, rule.what, queue))
          << who.name << rule.name;
      EXPECT_FALSE(judge(who, asked, queue).reason.empty());
    }
}

TEST(questions, have_the_reason_in_their_answers) {
  EXPECT_EQ(said(caller_named("ann"), "submit"),
            "yes: queue 'q' gives the verb 'submit' to user 'ann'");
  EXPECT_EQ(said(caller_named("x", {"a", "staff"}), "logs"),
            "yes: queue 'q' gives the verb 'watch' to group 'staff'");
  EXPECT_EQ(said(caller_named("olga"), "cancel"), "yes: user 'olga' owns queue 'q'");
  EXPECT_EQ(said(caller_named("x", {"owners"}), "cancel"), "yes: group 'owners' owns queue 'q'");
  EXPECT_EQ(said(caller_named("ann"), "cancel"),
            "no: user 'ann' may not do this: it takes the permission cancel_any_jobs, or the verb "
            "'cancel' on queue 'q'");
  EXPECT_EQ(said(caller_named("ann"), "read"), "yes: every caller who is let in may read");
  EXPECT_EQ(said(caller_named("ann"), "create-queue"),
            "no: user 'ann' may not do this: it takes the permission create_queue");
  EXPECT_EQ(said(caller_named("olga"), "submit_any_jobs"),
            "no: user 'olga' lacks the permission submit_any_jobs");
  auto holder = caller_named("olga");
  holder.permissions.add(permission::submit_any_jobs);
  EXPECT_EQ(said(holder, "submit_any_jobs"), "yes: user 'olga' has the permission submit_any_jobs");
  EXPECT_EQ(said(holder, "submit"), "yes: user 'olga' has the permission submit_any_jobs");
}

TEST(questions, are_words_that_are_read_back) {
  for (const auto& word : question_words()) EXPECT_TRUE(parse_question(word)) << word;
  const auto wrong = parse_question("sumbit");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ec::invalid_argument);
  EXPECT_THAT(wrong.error().detail, HasSubstr("did you mean 'submit'?; the actions are read, sub"));
  EXPECT_FALSE(parse_question(""));
  EXPECT_TRUE(is_about_queues({action::submit, {}}));
  EXPECT_FALSE(is_about_queues({action::write_queue, {}}));
  EXPECT_FALSE(is_about_queues({action::submit, permission::submit_any_jobs}));
}

TEST(questions, know_the_least_role_that_a_nats_server_lets_do_it) {
  const auto least = [](std::string_view word) { return least_role(parse_question(word).value()); };
  EXPECT_EQ(least("read"), role::viewer);
  EXPECT_EQ(least("watch"), role::viewer);
  EXPECT_EQ(least("submit"), role::submitter);
  EXPECT_EQ(least("logs"), role::submitter);
  EXPECT_EQ(least("cancel-all"), role::operator_);
  EXPECT_EQ(least("cordon-node"), role::operator_);
  EXPECT_EQ(least("watch_all_events"), role::viewer);
  EXPECT_EQ(least("submit_any_jobs"), role::submitter);
  EXPECT_EQ(least("create_queue"), role::operator_);
}

/// Whether the list of subjects lets `ann` of this role call the method.
bool may_call(role who, std::string_view method) {
  for (const auto& subject : permissions_of(who, "ann").publish) {
    if (subject == api_subject("ann", method) || subject == api_subject("ann", ">")) return true;
    if (subject.ends_with(".*") &&
        api_subject("ann", method).starts_with(subject.substr(0, subject.size() - 1)))
      return true;
  }
  return false;
}

TEST(questions, about_roles_agree_with_the_lists_of_the_nats_server) {
  const std::vector<std::pair<std::string, std::string>> methods{
      {"read", "Query.ListJobs"},
      {"watch", "Event.Watch"},
      {"submit", "Submit.SubmitJobs"},
      {"cancel", "Submit.CancelJobSet"},
      {"preempt", "Submit.PreemptJobs"},
      {"reprioritize", "Submit.ReprioritizeJobs"},
      {"logs", "Logs.Read"},
      {"report-spans", "Trace.ReportSpans"},
      {"create-queue", "QueueService.CreateQueue"},
      {"delete-queue", "QueueService.DeleteQueue"},
      {"cordon-queue", "QueueService.CordonQueue"},
      {"cancel-all", "Node.CancelOnNode"},
      {"preempt-all", "Executor.PreemptOnExecutor"},
      {"update-cluster", "ClusterService.CordonCluster"},
      {"create-retry-policy", "RetryPolicyService.CreateRetryPolicy"},
      {"change-settings", "Settings.Reload"},
      {"cordon-node", "Binoculars.Cordon"}};
  for (const auto& [word, method] : methods) {
    const auto least = least_role(parse_question(word).value());
    for (const auto one : {role::viewer, role::submitter, role::operator_})
      EXPECT_EQ(may_call(one, method), one >= least) << word << " " << to_string(one);
  }
  for (const auto one : {role::viewer, role::submitter, role::operator_, role::owner}) {
    EXPECT_TRUE(may_call(one, "Access.WhoAmI"));
    EXPECT_TRUE(may_call(one, "Access.CanI"));
    EXPECT_TRUE(may_call(one, "Settings.Get"));
    EXPECT_EQ(may_call(one, "Settings.Update"), one >= role::operator_);
    EXPECT_EQ(may_call(one, "Access.AsSubmitter"), one >= role::submitter);
    EXPECT_EQ(may_call(one, "Access.AsOperator"), one >= role::operator_);
  }
}

}  // namespace

}  // namespace argosy::access
