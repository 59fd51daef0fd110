// SPDX-License-Identifier: Apache-2.0
// Goal: identities and the subjects that carry them cannot be confused. Method: both directions,
// and names that would lead into the subjects of others.
#include "runtime/access/identity.hpp"

#include <gtest/gtest.h>

#include <array>

namespace argosy::access {

namespace {

TEST(identity, is_read_as_it_is_written) {
  for (const identity& who : {identity{party::control_plane, ""}, identity{party::agent, "a.b-1"},
                              identity{party::user, "alice"}}) {
    const auto read = parse_identity(to_string(who));
    ASSERT_TRUE(read) << to_string(who);
    EXPECT_EQ(*read, who);
  }
}

TEST(identity, with_a_name_that_reaches_others_subjects_is_refused) {
  for (const auto* text :
       {"user/", "user/*", "user/>", "user/a.b", "user/a b", "user/A", "user/-a", "user/a\n",
        "agent/", "agent/a_b", "agent/a..b", "agent/*", "agent/.a", "operator/x", "argosyd/x", ""})
    EXPECT_FALSE(parse_identity(text)) << text;
}

TEST(identity, inboxes_of_different_parties_do_not_lie_in_one_another) {
  EXPECT_EQ(inbox_prefix({party::control_plane, ""}), "_INBOX.argosyd");
  EXPECT_EQ(inbox_prefix({party::agent, "a.b"}), "_INBOX.agent.a_b");
  EXPECT_EQ(inbox_prefix({party::user, "argosyd"}), "_INBOX.user.argosyd");
}

TEST(api_subjects, carry_the_user_between_prefix_and_method) {
  EXPECT_EQ(api_subject("alice", "Query.ListJobs"), "argosy.api.alice.Query.ListJobs");
  EXPECT_EQ(api_subject("", "Query.ListJobs"), "argosy.api.Query.ListJobs");
  const auto named = parse_api_subject("argosy.api.alice.Query.ListJobs");
  EXPECT_EQ(named.user, "alice");
  EXPECT_EQ(named.method, "Query.ListJobs");
  const auto nameless = parse_api_subject("argosy.api.Query.ListJobs");
  EXPECT_EQ(nameless.user, "");
  EXPECT_EQ(nameless.method, "Query.ListJobs");
  EXPECT_EQ(parse_api_subject("argosy.agent.c.hello").method, "");
}

TEST(api_subjects, of_a_user_are_answered_in_his_own_inbox_only) {
  const api_call call{"alice", "Query.ListJobs"};
  EXPECT_TRUE(may_answer_to(call, "_INBOX.user.alice.x.1"));
  EXPECT_TRUE(may_answer_to(call, "")) << "who wants no answer names no subject";
  for (const auto* reply :
       {"_INBOX.user.bob.x.1", "_INBOX.user.alicex.1", "_INBOX.argosyd.1", "argosy.log.0001",
        "_INBOX.user.alice", "_INBOX.user.alice.unserved.x.1"})
    EXPECT_FALSE(may_answer_to(call, reply)) << reply;
  EXPECT_TRUE(may_answer_to({"", "Query.ListJobs"}, "_INBOX.x"));
  EXPECT_FALSE(may_answer_to({"", "Query.ListJobs"}, "_INBOX.user.bob.x"));
}

TEST(the_control_plane, sends_answers_to_whoever_may_have_asked_and_to_nobody_else) {
  struct row {
    const char* subject;
    const char* own;
  };
  constexpr std::array rows{row{"argosy.agent.c_1.hello", "_INBOX.agent.c_1.x.1"},
                            row{"argosy.agent.c_1.7.orders", "_INBOX.agent.c_1.x.1"},
                            row{"argosy.api.ann.Event.Watch", "_INBOX.user.ann.x.1"},
                            row{"argosy.api.ann.tenant.Event.Watch", "_INBOX.user.ann.x.1"},
                            row{"argosy.lead", "_INBOX.argosyd.x.1"}};
  for (const auto& asked : rows) {
    EXPECT_TRUE(may_reply(asked.subject, "")) << asked.subject;
    for (const auto& other : rows)
      EXPECT_EQ(may_reply(asked.subject, other.own), std::string_view{asked.own} == other.own)
          << asked.subject << " " << other.own;
    for (const auto* reply : {"_INBOX.argosyd.agent.c_1.x.1", "_INBOX.agent.c.x",
                              "_INBOX.agent.c_1", "_INBOX.user.an.x", "_INBOX.user.anna.x"})
      EXPECT_EQ(may_reply(asked.subject, reply),
                std::string_view{asked.subject} == "argosy.lead" &&
                    std::string_view{reply}.starts_with("_INBOX.argosyd."))
          << asked.subject << " " << reply;
  }
  for (const auto* subject : {"argosy.agent.c.hello", "argosy.api.Query.ListJobs"})
    EXPECT_TRUE(may_reply(subject, "_INBOX.abc.1")) << "a server that knows no users";
  EXPECT_FALSE(may_reply("argosy.api.Query.ListJobs", "_INBOX.user.ann.x.1"));
}

}  // namespace

}  // namespace argosy::access
