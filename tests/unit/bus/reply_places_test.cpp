// SPDX-License-Identifier: Apache-2.0
// Goal: an answer comes to the group of inboxes alone, and that nobody serves is heard beside it.
#include "runtime/bus/nats/reply_places.hpp"

#include <gtest/gtest.h>

namespace argosy::bus {
namespace {

TEST(reply_places, are_one_unless_replies_come_to_a_group) {
  const auto one = reply_places::of({});
  EXPECT_FALSE(one.are_two());
  EXPECT_FALSE(one.in_group("_INBOX.user.ann.x.1"));
  frame arrived{"_INBOX.user.ann.unserved.x.1", {}, {}, {}};
  one.join(arrived);
  EXPECT_EQ(arrived.subject, "_INBOX.user.ann.unserved.x.1");
}

TEST(reply_places, of_a_request_are_one_for_the_answer_and_one_for_the_server) {
  const reply_places two{"_INBOX.user.ann"};
  EXPECT_EQ(two.unserved("_INBOX.user.ann.x.1"), "_INBOX.user.ann.unserved.x.1");
  EXPECT_EQ(two.unserved("_INBOX.user.ann.x.*"), "_INBOX.user.ann.unserved.x.*");
  EXPECT_TRUE(two.in_group("_INBOX.user.ann.x.*"));
  for (const auto* other : {"_INBOX.user.ann.unserved.x.*", "_INBOX.user.anna.x.*", "argosy.lead",
                            "", "_INBOX.user.ann"})
    EXPECT_FALSE(two.in_group(other)) << other;
  frame arrived{"_INBOX.user.ann.unserved.x.1", {}, {}, {}};
  two.join(arrived);
  EXPECT_EQ(arrived.subject, "_INBOX.user.ann.x.1");
}

TEST(reply_places, are_read_by_whoever_is_asked) {
  for (const auto& reader : {reply_places{}, reply_places{"_INBOX.agent.c1"}}) {
    frame asked{"argosy.api.ann.Query.ListJobs",
                "_INBOX.user.ann.unserved.x.1",
                {{reply_places::answer_to, "_INBOX.user.ann.x.1"}, {"other", "kept"}},
                {}};
    reader.join(asked);
    EXPECT_EQ(asked.reply, "_INBOX.user.ann.x.1");
    EXPECT_FALSE(asked.headers.get(reply_places::answer_to));
    EXPECT_EQ(asked.headers.get("other"), "kept");
  }
}

}  // namespace
}  // namespace argosy::bus
