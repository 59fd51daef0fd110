// SPDX-License-Identifier: Apache-2.0
// Goal: the view knows to which history a place belongs: whatever goes on with the log keeps all
// places, and a store that lacks records makes a history in which theirs do not count. Method:
// signed histories, of which a store or the log is set back; places that were told before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/view/history_codec.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/queries.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "tests/unit/recovery/generations_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

struct lineages : generations {
  model::lineage history() {
    auto txn = database_.begin_read();
    return read_lineage(**txn).value();
  }
  /// All places up to the end of the view.
  std::vector<model::log_place> places() {
    std::vector<model::log_place> out;
    for (model::log_position at{1}; at <= stored_position().position; ++at)
      out.push_back(history().place_at(at));
    return out;
  }
  /// The positions of the places that the present history does not have.
  std::vector<model::log_position> lost(const std::vector<model::log_place>& before) {
    std::vector<model::log_position> out;
    const auto now = history();
    for (const auto& place : before)
      if (!now.has(place)) out.push_back(place.position);
    return out;
  }
  void lead(const recovered_state& state, std::uint64_t nonce) {
    writer_ = batches::batch_core{state.position, 1'000'000, key_};
    append(writer_.claim({{7}, "me again", {nonce}}, 1));
  }
  /// Ends the generation in order and begins the next, as the JOURNAL does.
  void roll_over() {
    const auto end = writer_.end();
    const auto next = prepare_next(log_, end);
    ASSERT_TRUE(next);
    append(turn_event(end.generation, next->generation, end.position + 1, 1));
    log_.choose(next->generation, end.position + 1);
    writer_.turn_to(next->generation, next->created_ns);
    append(turn_event(end.generation, next->generation, end.position + 1, 1));
  }
  result<native::event_page> read_behind(std::uint64_t position, std::uint32_t index) {
    native::read_events query{"q", "s", {{position}, index}};
    query.resumes = query.after;
    auto txn = database_.begin_read();
    return events(**txn, query, 100);
  }
};

TEST_F(lineages, keep_all_places_over_a_restart_and_a_take_over) {
  const auto before = places();
  ASSERT_EQ(before.size(), 10u);
  EXPECT_NE(before.back().claim, 0u);
  lead(*recovered(), 1);
  append(decided(submitted(100)));
  EXPECT_THAT(lost(before), ::testing::IsEmpty());
  const auto later = places();
  EXPECT_NE(later.back().claim, before.back().claim);
  lead(*recovered(), 2);
  EXPECT_THAT(lost(later), ::testing::IsEmpty());
  EXPECT_FALSE(history().was_put_back());
}

TEST_F(lineages, keep_all_places_over_a_roll_over_and_a_restart_right_behind_it) {
  roll_over();
  append(decided(submitted(100)));
  roll_over();
  const auto before = places();
  lead(*recovered(), 1);
  EXPECT_EQ(stored_position().generation.value, 3u);
  EXPECT_FALSE(history().was_put_back());
  EXPECT_THAT(lost(before), ::testing::IsEmpty());
}

TEST_F(lineages, keep_all_places_when_the_log_is_lost_and_the_store_goes_on) {
  const auto before = places();
  log_.remove();
  lead(*recovered(), 1);
  EXPECT_EQ(stored_position().generation.value, 2u);
  EXPECT_THAT(lost(before), ::testing::IsEmpty());
  EXPECT_TRUE(history().was_put_back()) << "the log may have had more";
}

TEST_F(lineages, lose_what_a_store_that_was_put_back_does_not_have) {
  const auto older = database_.clone();
  lead(*recovered(), 1);
  for (int i = 100; i < 105; ++i) append(decided(submitted(i)));
  const auto before = places();
  ASSERT_EQ(before.size(), 16u);
  log_.remove();
  const auto state = recover(*older, log_, {.accept_loss = true}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  writer_ = batches::batch_core{state->position, 1'000'000, key_};
  const auto claim = append_unapplied(writer_.claim({{7}, "me again", {2}}, 1));
  auto txn = older->begin_write();
  ASSERT_TRUE(write_batch(**txn, *claim, [](const auto&) {}));
  const auto now = read_lineage(**txn).value();
  for (const auto& place : before)
    EXPECT_EQ(now.has(place), place.position.value <= 10) << place.position.value;
  EXPECT_TRUE(now.was_put_back());
}

TEST_F(lineages, are_the_same_when_an_older_store_follows_the_log) {
  const auto older = database_.clone();
  lead(*recovered(), 1);
  append(decided(submitted(100)));
  roll_over();
  append(decided(submitted(101)));
  ASSERT_TRUE(recover(*older, log_, {}, *key_));
  const auto txn = older->begin_read();
  EXPECT_EQ(read_lineage(**txn)->claims(), history().claims());
  EXPECT_EQ(history().claims().size(), 2u);
}

TEST_F(lineages, let_nobody_go_on_where_events_are_missing) {
  EXPECT_TRUE(read_behind(0, 0)) << "the beginning";
  EXPECT_TRUE(read_behind(5, 0));
  EXPECT_TRUE(read_behind(10, 0));
  EXPECT_TRUE(read_behind(10, UINT32_MAX)) << "behind everything";
  EXPECT_TRUE(read_behind(2, UINT32_MAX)) << "before all events of the set";
  for (const auto& [position, index] : std::vector<std::pair<std::uint64_t, std::uint32_t>>{
           {11, 0}, {11, UINT32_MAX}, {5, 7}, {2, 0}}) {
    const auto refused = read_behind(position, index);
    ASSERT_FALSE(refused) << position << ":" << index;
    EXPECT_EQ(refused.error().code, ec::conflict);
    EXPECT_THAT(refused.error().detail, EndsWith("read again from the beginning"));
  }
}

TEST_F(lineages, let_nobody_go_on_behind_events_that_have_expired) {
  auto txn = database_.begin_write();
  model::history_expired limits;
  limits.events_before_ns = 2;
  limits.records_max = 5;
  ASSERT_TRUE(expire_history(**txn, limits));
  const auto gone = read_position(**txn)->value().events_gone.value;
  ASSERT_TRUE((*txn)->commit());
  ASSERT_GT(gone, 3u);
  ASSERT_LT(gone, 10u);
  const auto refused = read_behind(gone - 1, 0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("expired"));
  EXPECT_FALSE(read_behind(gone - 1, UINT32_MAX));
  EXPECT_TRUE(read_behind(gone, 0)) << "all behind it is there";
  EXPECT_TRUE(read_behind(gone, UINT32_MAX));
  EXPECT_TRUE(read_behind(gone + 1, 0));
}

}  // namespace
}  // namespace argosy::view
