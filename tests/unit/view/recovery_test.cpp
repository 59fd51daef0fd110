// SPDX-License-Identifier: Apache-2.0
// Goal: whatever part of what was written survives on either side, recovery comes to the same state
// or says that it cannot. Method: one history of batches in the log in memory and in a store, of
// which one or the other loses something.
#include "messages/view/recovery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/batches/batch_core.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/writer.hpp"
#include "runtime/eventlog/in_memory.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {
namespace {

using testing::HasSubstr;

class view_recovery : public testing::Test {
 protected:
  /// Writes record 1, which takes the lead, record 2, which creates a queue, and further ones, each
  /// of which submits a job.
  void write_history(int records) {
    append(writer_.claim("me", 1, 1));
    append(decided(model::queue_set{settings()}));
    for (int i = 2; i < records; ++i) append(decided(submitted(i)));
  }

  static model::queue_settings settings() {
    model::queue_settings out;
    out.name = "q";
    return out;
  }

  static model::job_submitted submitted(int number) {
    auto header = std::make_shared<model::job_header>();
    header->id = ulid_from_hash(1, 0, static_cast<std::uint64_t>(number));
    header->queue = "q";
    header->job_set = "s";
    header->shape = std::make_shared<const model::job_shape>();
    header->spec = std::make_shared<const std::string>("spec");
    return {header};
  }

  native::append_ptr decided(model::event_payload payload) {
    auto request = std::make_shared<native::append_request>();
    request->events.push_back({1, "q", std::move(payload)});
    request->changes = queue_.apply(request->events.front());
    return request;
  }

  /// Appends to the log, the tail and the view, as the JOURNAL and the STORE do.
  void append(native::append_ptr request) {
    (void)writer_.add(std::move(request));
    const auto* batch = writer_.begin();
    ASSERT_NE(batch, nullptr);
    ASSERT_TRUE(log_.append(batch->position - 1, batch->message_id, *batch->bytes));
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_tail(**txn, {batch->position, batch->message_id, 1, *batch->bytes}));
    (void)writer_.written_to_log();
    const auto done = writer_.written_to_tail(batch->position);
    ASSERT_TRUE(done);
    ASSERT_TRUE(write_batch(**txn, *done->committed, [](const auto&) {}));
    ASSERT_TRUE((*txn)->commit());
  }

  /// The end of a chain that has not begun, in a log that holds this many records.
  static view_position stands_at(std::uint64_t position) {
    view_position out;
    out.position = position;
    return out;
  }

  /// A batch of this epoch that continues another record.
  std::string forged() {
    auto elsewhere = stands_at(4);
    elsewhere.epoch = 1;
    elsewhere.hash = 99;
    batches::batch_core stranger{elsewhere, 1'000};
    (void)stranger.add(decided(submitted(50)));
    return *stranger.begin()->bytes;
  }

  result<recovered_state> recovered() { return recover(database_, log_, {}); }
  static std::size_t jobs_in(const recovered_state& state) {
    const auto found = state.queues.find("q");
    return found == state.queues.end() ? 0 : found->second->live_count();
  }

  manual_clock clock_;
  eventlog::memory_log log_{clock_, {.never_wait = true}};
  store::memory_database database_;
  ledger::queue_core queue_{"q", {}};
  batches::batch_core writer_{{}, 1'000'000};
};

TEST_F(view_recovery, of_nothing_is_an_empty_state) {
  const auto state = recovered();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->position.position, 0u);
  EXPECT_TRUE(state->queues.empty());
}

TEST_F(view_recovery, of_a_whole_store_reads_the_view_alone) {
  write_history(10);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
  EXPECT_EQ(state->live_jobs, 8u);
  EXPECT_EQ(state->replayed_batches, 0u);
  EXPECT_EQ(state->position.position, 10u);
  EXPECT_EQ(state->position.holder, "me");
}

TEST_F(view_recovery, knows_the_newest_time_and_the_readings_of_the_clocks) {
  write_history(10);
  auto txn = database_.begin_write();
  ASSERT_TRUE(write_clock(**txn, {from_nanos(7), from_nanos(8), boot_time{9}, "boot"}));
  ASSERT_TRUE((*txn)->commit());
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->newest_ns, 1);
  ASSERT_TRUE(state->clock);
  EXPECT_EQ(state->clock->log, from_nanos(7));
  EXPECT_EQ(state->clock->boot_id, "boot");
  store::memory_database empty;
  const auto replayed = recover(empty, log_, {});
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->newest_ns, 1);
  EXPECT_FALSE(replayed->clock);
}

TEST_F(view_recovery, of_an_empty_store_replays_the_log) {
  write_history(10);
  store::memory_database empty;
  const auto state = recover(empty, log_, {});
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
  EXPECT_EQ(state->replayed_batches, 10u);
  EXPECT_EQ(state->position.epoch, 1u);
  const auto again = recover(empty, log_, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->replayed_batches, 0u) << "it was written into the view";
  EXPECT_EQ(jobs_in(*again), 8u);
}

TEST_F(view_recovery, gives_back_to_the_log_what_it_lost) {
  write_history(10);
  log_.lose_tail(4);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->republished_batches, 4u);
  EXPECT_EQ(*log_.last_position(), 10u);
  EXPECT_EQ(jobs_in(*state), 8u);
}

TEST_F(view_recovery, refuses_a_log_that_lost_more_than_the_tail_has) {
  write_history(10);
  {
    auto txn = database_.begin_write();
    for (std::uint64_t position = 1; position <= 8; ++position)
      ASSERT_TRUE((*txn)->erase(store::table::tail, store::key_builder{}.number(position).take()));
    ASSERT_TRUE((*txn)->commit());
  }
  log_.lose_tail(4);
  const auto state = recovered();
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("does not reach back far enough"));
}

TEST_F(view_recovery, refuses_a_log_and_a_store_that_do_not_belong_together) {
  write_history(10);
  eventlog::memory_log other{clock_, {.never_wait = true}};
  for (std::uint64_t i = 0; i < 10; ++i)
    ASSERT_TRUE(other.append(i, "other" + std::to_string(i), "other" + std::to_string(i)));
  const auto state = recover(database_, other, {});
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
}

TEST_F(view_recovery, does_not_add_to_the_log_of_another_control_plane_that_is_shorter) {
  write_history(10);
  eventlog::memory_log other{clock_, {.never_wait = true}};
  batches::batch_core its_writer{{}, 1'000'000};
  (void)its_writer.add(its_writer.claim("another", 2, 1));
  const auto* claim = its_writer.begin();
  ASSERT_TRUE(other.append(0, claim->message_id, *claim->bytes));
  const auto state = recover(database_, other, {});
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
  EXPECT_EQ(*other.last_position(), 1u);
}

TEST_F(view_recovery, steps_over_foreign_records_wherever_they_stand) {
  ASSERT_TRUE(log_.append(0, "a", "before the first"));
  writer_ = batches::batch_core{stands_at(1), 1'000'000};
  write_history(4);
  ASSERT_TRUE(log_.append(5, "b", "x"));
  ASSERT_TRUE(log_.append(6, "c", std::string(100, '\0')));
  const auto whole = recovered();
  ASSERT_TRUE(whole) << whole.error().detail;
  EXPECT_EQ(whole->foreign_records, 2u) << "the view ends behind the first of the three";
  EXPECT_EQ(whole->position.position, 7u);
  writer_ = batches::batch_core{whole->position, 1'000'000};
  append(writer_.claim("me again", 3, 2));
  for (auto* database : {&database_, static_cast<store::memory_database*>(nullptr)}) {
    store::memory_database empty;
    const auto state = recover(database != nullptr ? *database : empty, log_, {});
    ASSERT_TRUE(state) << state.error().detail;
    EXPECT_EQ(jobs_in(*state), 2u);
    EXPECT_EQ(state->position.position, 8u);
    EXPECT_EQ(state->position.holder, "me again");
    EXPECT_EQ(state->foreign_records, database != nullptr ? 0u : 3u);
  }
}

TEST_F(view_recovery, gives_foreign_records_back_to_the_log_as_well) {
  write_history(4);
  ASSERT_TRUE(log_.append(4, "", "x"));
  writer_ = batches::batch_core{recovered()->position, 1'000'000};
  append(writer_.claim("me again", 3, 2));
  log_.lose_tail(3);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->republished_batches, 3u);
  EXPECT_EQ(log_.get(5)->data, "x");
  EXPECT_EQ(state->position.holder, "me again");
}

TEST_F(view_recovery, steps_over_a_batch_of_a_leader_that_was_deposed) {
  write_history(4);
  const auto end = recovered()->position;
  batches::batch_core late{end, 1'000'000};
  (void)late.add(decided(submitted(50)));
  const std::string bytes = *late.begin()->bytes;
  append(writer_.claim("a second", 2, 1));
  ASSERT_TRUE(log_.append(5, "late", bytes));
  store::memory_database empty;
  const auto state = recover(empty, log_, {});
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 2u);
  EXPECT_EQ(state->foreign_records, 1u);
}

TEST_F(view_recovery, steps_over_a_forged_batch_if_the_chain_goes_on_behind_it) {
  write_history(4);
  ASSERT_TRUE(log_.append(4, "forged", forged()));
  auto end = recovered();
  EXPECT_THAT(end.error().detail, HasSubstr("record 5 does not continue"));
  auto behind = stands_at(5);
  behind.epoch = 1;
  behind.hash = codec::batch_hash(log_.get(4)->data);
  writer_ = batches::batch_core{behind, 1'000'000};
  append(writer_.claim("me again", 3, 2));
  store::memory_database empty;
  const auto state = recover(empty, log_, {});
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 2u);
  EXPECT_EQ(state->foreign_records, 1u);
}

TEST_F(view_recovery, refuses_a_chain_that_goes_through_a_damaged_record) {
  write_history(10);
  eventlog::memory_log damaged{clock_, {.never_wait = true}};
  for (std::uint64_t position = 1; position <= 10; ++position) {
    auto record = *log_.get(position);
    if (position == 7) record.data = "damaged";
    ASSERT_TRUE(damaged.append(position - 1, record.msg_id, record.data));
  }
  store::memory_database empty;
  const auto state = recover(empty, damaged, {});
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("record 7 cannot be read"));
}

TEST_F(view_recovery, refuses_a_last_record_that_the_tail_has_with_other_bytes) {
  write_history(10);
  const auto id = log_.get(10)->msg_id;
  log_.lose_tail(1);
  ASSERT_TRUE(log_.append(9, id, "damaged"));
  {
    auto txn = database_.begin_write();
    ASSERT_TRUE((*txn)->erase(store::table::meta, "position"));
    ASSERT_TRUE((*txn)->commit());
  }
  const auto state = recovered();
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("record 10 is damaged"));
}

}  // namespace
}  // namespace argosy::view
