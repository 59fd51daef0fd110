// SPDX-License-Identifier: Apache-2.0
// This file declares one history of batches, in a log in memory and in a store, for the tests of
// recovery.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "messages/batches/batch_core.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "messages/view/writer.hpp"
#include "runtime/eventlog/in_memory.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/key.hpp"
#include "tests/support/eventlog/test_key.hpp"

namespace argosy::view {

class view_recovery : public ::testing::Test {
 protected:
  /// Writes record 1, which takes the lead, record 2, which creates a queue, and further ones, each
  /// of which submits a job.
  void write_history(int records) {
    append(writer_.claim({{1}, "me"}, 1));
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
    const auto committed = append_unapplied(std::move(request));
    ASSERT_TRUE(committed);
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_batch(**txn, *committed, [](const auto&) {}));
    ASSERT_TRUE((*txn)->commit());
  }

  /// Appends to the log and the tail alone, as when the process dies before the view applies the
  /// batch. Returns what the view would apply; nothing if a check failed.
  native::committed_ptr append_unapplied(native::append_ptr request) {
    (void)writer_.add(std::move(request));
    const auto* batch = writer_.begin();
    EXPECT_NE(batch, nullptr);
    if (batch == nullptr) return nullptr;
    EXPECT_TRUE(log_.append(batch->position - 1, batch->message_id, *batch->bytes));
    auto txn = database_.begin_write();
    EXPECT_TRUE(write_tail(**txn, {batch->position, 1, batch->message_id, *batch->bytes}));
    EXPECT_TRUE((*txn)->commit());
    (void)writer_.written_to_log();
    const auto done = writer_.written_to_tail(batch->position);
    EXPECT_TRUE(done);
    return done ? done->committed : nullptr;
  }

  /// The end of a chain that has not begun, in a log that holds this many records.
  static view_position stands_at(std::uint64_t position) {
    view_position out;
    out.position = {position};
    return out;
  }

  /// A batch of ours in this epoch that continues another record.
  std::string broken() {
    auto elsewhere = stands_at(4);
    elsewhere.epoch = {1};
    elsewhere.batch_number = 4;
    elsewhere.hash = 99;
    batches::batch_core other{elsewhere, 1'000, key_};
    (void)other.add(decided(submitted(50)));
    return *other.begin()->bytes;
  }

  result<recovered_state> recovered() { return recover(database_, log_, {}, *key_); }
  result<recovered_state> accepting_loss() {
    return recover(database_, log_, {.accept_loss = true}, *key_);
  }
  static std::size_t jobs_in(const recovered_state& state) {
    const auto found = state.queues.find("q");
    return found == state.queues.end() ? 0 : found->second->live_count();
  }

  manual_clock clock_;
  const std::shared_ptr<const codec::log_key> key_ = tests::test_key();
  eventlog::memory_log log_{clock_, {.never_wait = true}};
  store::memory_database database_;
  ledger::queue_core queue_{"q", {}};
  batches::batch_core writer_{{}, 1'000'000, key_};
};

}  // namespace argosy::view
