// SPDX-License-Identifier: Apache-2.0
// Goal: the policies that there are follow from the events alone. Method: commands whose events are
// applied to one book and to a second one that knows only the events or the store's changes.
#include "runtime/ledger/retry/retry_book.hpp"

#include <gmock/gmock.h>

namespace argosy::ledger {
namespace {

model::retry_policy named(std::string name, std::uint32_t limit = 1) {
  return {std::move(name), limit, model::retry_action::retry, {}};
}

struct retry_book_test : ::testing::Test {
  ec run(decision<done> decided) {
    for (const auto& e : decided.events) {
      for (const auto& each : book.apply(e)) changes.push_back(each);
      ++events;
    }
    return decided.reply ? ec::none : decided.reply.error().code;
  }
  ec set(const model::retry_policy& policy, write_mode mode = write_mode::upsert) {
    return run(book.set(policy, mode, 1));
  }

  retry_book book;
  change_list changes;
  int events = 0;
};

TEST_F(retry_book_test, creates_and_replaces_and_an_equal_policy_gives_no_event) {
  EXPECT_EQ(set(named("p")), ec::none);
  EXPECT_EQ(set(named("p")), ec::none);
  EXPECT_EQ(events, 1);
  EXPECT_EQ(set(named("p", 7), write_mode::update), ec::none);
  EXPECT_EQ(book.policies()->at("p").limit, 7U);
  EXPECT_EQ(events, 2);
}

TEST_F(retry_book_test, updates_only_what_is_there) {
  EXPECT_EQ(set(named("p"), write_mode::update), ec::not_found);
  EXPECT_EQ(events, 0);
}

TEST_F(retry_book_test, deletes_what_is_there_and_is_content_with_what_is_not) {
  set(named("p"));
  const auto before = book.policies();
  EXPECT_EQ(run(book.erase("p", 2)), ec::none);
  EXPECT_EQ(run(book.erase("p", 3)), ec::none);
  EXPECT_EQ(events, 2);
  EXPECT_TRUE(book.policies()->empty());
  EXPECT_TRUE(before->contains("p")) << "a value that was handed out never changes";
  EXPECT_TRUE(std::holds_alternative<erase_retry_policy>(changes.back()));
}

TEST_F(retry_book_test, has_a_limit_that_replacing_does_not_meet) {
  for (std::size_t i = 0; i < retry_book::policies_max; ++i)
    book.restore(named("p" + std::to_string(i)));
  EXPECT_EQ(set(named("another")), ec::overloaded);
  EXPECT_EQ(set(named("p0", 9)), ec::none);
}

TEST_F(retry_book_test, leaves_other_events_alone) {
  EXPECT_TRUE(book.apply({1, "", model::cluster_left{"c", ""}}).empty());
  EXPECT_TRUE(book.apply({1, "", model::retry_policy_deleted{"p"}}).empty());
}

}  // namespace
}  // namespace argosy::ledger
