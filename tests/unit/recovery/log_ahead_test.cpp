// SPDX-License-Identifier: Apache-2.0
// Goal: a plane has in its store what the log has beyond what is committed, in the chain that
// counts, and knows which of it is committed. Method: a history in a log in memory, which a second
// store reads ahead, and logs that are set back and go on with another chain.
#include "messages/view/recovery/log_ahead.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recovery/roll_over_fixture.hpp"

namespace argosy::view {
namespace {

struct ahead : roll_over {
  ahead() { take_up({}); }

  void take_up(const view_position& applied) { EXPECT_TRUE(reads.load(applied)); }
  /// Reads until nothing more comes.
  void read(bool seek = false) {
    for (int tries = 0; tries < 20; ++tries) {
      const auto moved = reads.read({}, seek);
      if (!moved || !*moved) break;
    }
    log_.choose(writer_.end().generation, writer_.end().generation_base);
  }
  model::record_name written() const {
    return {writer_.written_end().epoch, writer_.end().position, writer_.end().hash};
  }
  std::size_t tail_rows() {
    auto txn = second_.begin_read();
    std::size_t out = 0;
    EXPECT_TRUE(store::scan(**txn, store::table::tail, {}, [&](const auto&) {
      ++out;
      return true;
    }));
    return out;
  }
  /// Another plane goes on with a higher epoch behind the record at this position.
  batches::batch_core other_behind(const view_position& end, std::uint64_t epoch) {
    batches::batch_core out{end, 1'000'000, key_};
    (void)out.add(out.claim({{epoch}, "other"}, 1));
    return out;
  }

  store::memory_database second_;
  log_ahead reads{second_, log_, *key_};
};

TEST_F(ahead, reads_to_the_end_of_the_log_and_keeps_it_in_the_tail) {
  read();
  EXPECT_EQ(reads.end().name(), written());
  EXPECT_TRUE(reads.is_at_end());
  EXPECT_EQ(tail_rows(), writer_.end().position.value);
  append(decided(submitted(50)));
  read();
  EXPECT_EQ(reads.end().name(), written());
}

TEST_F(ahead, takes_up_after_a_start_what_the_tail_has) {
  read();
  const auto before = reads.end().name();
  take_up({});
  EXPECT_EQ(reads.end().name(), before);
}

TEST_F(ahead, goes_over_to_the_next_generation) {
  read();
  roll();
  append(decided(submitted(50)));
  read();
  EXPECT_EQ(reads.end().name(), written());
  EXPECT_EQ(reads.end().generation.value, 2u);
}

TEST_F(ahead, steps_over_what_is_foreign) {
  const auto end = writer_.end().position;
  ASSERT_TRUE(log_.append(end, "strange", "strange"));
  writer_.step_over();
  append(decided(submitted(50)));
  read();
  EXPECT_EQ(reads.end().name(), written());
}

TEST_F(ahead, knows_that_what_stands_before_a_committed_record_of_its_log_is_committed) {
  read();
  const auto end = reads.end();
  const auto all = reads.committed_by(end.name(), end.generation);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->until, end.position);
  auto later = end.name();
  later.position = later.position + 5;
  const auto before = reads.committed_by(later, end.generation);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->until, end.position);
  EXPECT_FALSE(reads.committed_by(later, end.generation.next()));
  auto other = end.name();
  ++other.hash;
  EXPECT_FALSE(reads.committed_by(other, end.generation));
}

TEST_F(ahead, sets_aside_what_a_later_claim_went_on_without) {
  const auto fork = writer_.end();
  append(decided(submitted(50)));
  append(decided(submitted(51)));
  read();
  log_.lose_tail(2);
  auto other = other_behind(fork, 9);
  const auto* claim = other.begin();
  ASSERT_TRUE(log_.append(fork.position, claim->message_id, *claim->bytes));
  take_up({});
  read();
  EXPECT_EQ(reads.end().epoch.value, 9u);
  EXPECT_EQ(reads.end().position, fork.position + 1);
  EXPECT_EQ(tail_rows(), fork.position.value + 1);
  EXPECT_FALSE(reads.is_left_behind());
}

TEST_F(ahead, keeps_what_it_has_against_a_leader_that_was_deposed) {
  const auto fork = writer_.end();
  append(writer_.claim({{7}, "me"}, 1));
  read();
  const auto before = reads.end().name();
  log_.lose_tail(1);
  auto other = other_behind(fork, 5);
  const auto* late = other.begin();
  ASSERT_TRUE(log_.append(fork.position, late->message_id, *late->bytes));
  take_up({});
  read();
  EXPECT_EQ(reads.end().name(), before);
}

TEST_F(ahead, gives_up_a_claim_when_the_log_has_another_of_the_same_epoch) {
  const auto fork = writer_.end();
  append(writer_.claim({{7}, "me"}, 1));
  read();
  log_.lose_tail(1);
  auto other = other_behind(fork, 7);
  const auto* first = other.begin();
  ASSERT_TRUE(log_.append(fork.position, first->message_id, *first->bytes));
  take_up({});
  read();
  EXPECT_EQ(reads.end().position, fork.position + 1);
  EXPECT_EQ(reads.end().holder, "other");
}

TEST_F(ahead, keeps_what_was_accepted_behind_a_claim_of_the_same_epoch) {
  const auto fork = writer_.end();
  append(writer_.claim({{7}, "me"}, 1));
  append(decided(submitted(50)));
  read();
  const auto before = reads.end().name();
  log_.lose_tail(2);
  auto other = other_behind(fork, 7);
  const auto* first = other.begin();
  ASSERT_TRUE(log_.append(fork.position, first->message_id, *first->bytes));
  take_up({});
  read();
  EXPECT_EQ(reads.end().name(), before);
}

TEST_F(ahead, says_when_the_log_went_on_without_what_the_view_has) {
  const auto fork = writer_.end();
  append(decided(submitted(50)));
  log_.lose_tail(1);
  auto other = other_behind(fork, 9);
  const auto* claim = other.begin();
  ASSERT_TRUE(log_.append(fork.position, claim->message_id, *claim->bytes));
  (void)other.written_to_tail(claim->position);
  (void)other.written_to_log();
  (void)other.add(decided(submitted(51)));
  const auto* next = other.begin();
  ASSERT_TRUE(log_.append(next->position - 1, next->message_id, *next->bytes));
  take_up(writer_.end());
  read();
  EXPECT_TRUE(reads.is_left_behind());
}

TEST_F(ahead, counts_the_planes_before_and_after_a_change) {
  const std::vector<model::plane> before{{"a", "here"}};
  const std::vector<model::plane> after{{"a", "here"}, {"b", "there"}, {"c", "elsewhere"}};
  batches::batch_core leader{writer_.end(), 1'000'000, key_, "a"};
  for (const auto& planes : {before, after}) {
    auto request = std::make_shared<native::append_request>();
    request->events.push_back({1, {}, model::planes_changed{planes}});
    const auto& batch = leader.begin_alone(request);
    ASSERT_TRUE(log_.append(batch.position - 1, batch.message_id, *batch.bytes));
    (void)leader.written_to_tail(batch.position);
    (void)leader.written_to_log();
  }
  read();
  const auto sets = reads.plane_sets();
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets.front(), before);
  EXPECT_EQ(sets.back(), after);
}

}  // namespace
}  // namespace argosy::view
