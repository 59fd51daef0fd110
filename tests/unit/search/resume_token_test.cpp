// SPDX-License-Identifier: Apache-2.0
// Goal: tokens with which callers go on later come back as they were, name their history, and are
// refused with one sentence where that is not the server's. Method: tables.
#include "messages/codec/api/resume_token.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/codec/api/event_id.hpp"

namespace argosy::codec {
namespace {

using ::testing::EndsWith;

const model::lineage history{{{{3}, 0x30}, {{7}, ~0ULL}}};

TEST(resume_tokens, are_cursors_with_a_mark) {
  EXPECT_EQ(marked_cursor("", "Query.ListNodes", {{5}, 1}), "");
  const auto marked = marked_cursor("a/b", "Query.ListNodes", history.place_at({8}));
  EXPECT_EQ(marked, "8-ffffffffffffffff/ListNodes/a/b");
  EXPECT_EQ(own_cursor(marked, "Query.ListNodes", history, {8}).value(), "a/b");
  EXPECT_EQ(own_cursor("6-0000000000000030/L/x", "Other.L", history, {8}).value(), "x");
  const auto other = own_cursor(marked, "Query.ListQueues", history, {8});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ec::invalid_argument);
  EXPECT_THAT(other.error().detail, EndsWith("is not from an answer of Query.ListQueues"));
}

TEST(resume_tokens, are_refused_in_another_history) {
  for (const auto* text :
       {"6-0000000000000031/L/x", "7-0000000000000030/L/x", "9-ffffffffffffffff/L/x"}) {
    const auto refused = own_cursor(text, "Query.L", history, {8});
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ec::conflict) << text;
    EXPECT_THAT(refused.error().detail, EndsWith("read again from the beginning"));
  }
}

TEST(resume_tokens, are_not_made_by_hand) {
  for (const auto* text :
       {"01h2xcejqtf2nbrexx3vqjhp41", "x", "/", "8/x", "8-/x", "-ffffffffffffffff/x", "8-FFFG/x",
        "8-ffffffffffffffffff/x", "99999999999999999999-ffffffffffffffff/L/x",
        "6-0000000000000030/x", "6-0000000000000030/", "6-0000000000000030/Lx"}) {
    const auto refused = own_cursor(text, "Query.L", history, {8});
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ec::invalid_argument) << text;
  }
}

TEST(event_ids, come_back_as_they_were) {
  for (const auto& id :
       {event_id{{{5}, 0xabc}, 2, 1, false}, event_id{{{~0ULL}, ~0ULL}, 0, 0, true},
        event_id{{{9}, 0}, event_id::behind_all, 0, true}})
    EXPECT_EQ(parse_event_id(to_text(id)).value(), id) << to_text(id);
  EXPECT_EQ(to_text(event_id{{{5}, 0xabc}, 2, 1, false}), "5:2:1:0:0000000000000abc");
  EXPECT_EQ(event_id_behind({{9}, 1}), "9:4294967295:0:1:0000000000000001");
}

TEST(event_ids, of_older_versions_have_to_be_read_again) {
  const auto older = parse_event_id("5:2:1:0");
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, ec::conflict);
  EXPECT_THAT(older.error().detail, EndsWith("read again from the beginning"));
}

TEST(event_ids, are_nothing_else) {
  for (const auto* text :
       {"", "x", "5", "5:2:1", "5:2:1:0:", "5:2:1:0:12", "5:2:1:2:0000000000000abc",
        "5:4294967296:1:0:0000000000000abc", "-5:2:1:0:0000000000000abc",
        "5:2:1:0:0000000000000abc:", "5:2:1:0:0000000000000abg"}) {
    const auto refused = parse_event_id(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ec::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace argosy::codec
