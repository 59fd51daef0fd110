// SPDX-License-Identifier: Apache-2.0
// This file declares the steps of a roll-over, for tests that stop between them.
#pragma once

#include <string>
#include <vector>

#include "messages/view/check/log_check.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "tests/unit/recovery/generations_fixture.hpp"

namespace argosy::view {

struct roll_over : generations {
  void seal() {
    const auto prepared = prepare_next(log_, writer_.end());
    ASSERT_TRUE(prepared) << prepared.error().detail;
    next = *prepared;
    write_alone(
        turn_event(writer_.end().generation, next.generation, writer_.end().position + 1, 1));
  }
  void begin() {
    const auto end = writer_.end();
    log_.choose(next.generation, end.position);
    writer_.turn_to(next.generation, next.created_ns);
    write_alone(turn_event(end.generation, next.generation, end.position, 1));
  }
  void roll() {
    seal();
    begin();
  }
  void write_alone(const native::append_ptr& request) {
    const auto& batch = writer_.begin_alone(request);
    ASSERT_TRUE(log_.append(batch.position - 1, batch.message_id, *batch.bytes));
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_tail(**txn, {batch.position, 1, batch.message_id, *batch.bytes}));
    (void)writer_.written_to_log();
    const auto done = writer_.written_to_tail(batch.position);
    ASSERT_TRUE(done);
    if (applied) {
      ASSERT_TRUE(write_batch(**txn, *done->committed, [](const auto&) {}));
    }
    ASSERT_TRUE((*txn)->commit());
  }
  /// Recovers, expects the second generation and this many jobs, and goes on there.
  void expect_second(std::size_t jobs) {
    const auto state = recovered();
    ASSERT_TRUE(state) << state.error().detail;
    EXPECT_EQ(state->position.generation.value, 2u);
    EXPECT_EQ(state->position.generation_base.value, 11u);
    EXPECT_EQ(jobs_in(*state), jobs);
    go_on(*state, 100);
    const auto again = recovered();
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_EQ(jobs_in(*again), jobs + 1);
    EXPECT_EQ(again->begun_generation.value, 0u);
    expect_sound();
  }
  void expect_sound() {
    check_report report;
    auto txn = database_.begin_read();
    const auto end = check_store(**txn, key_.get(), report);
    ASSERT_TRUE(end && *end);
    ASSERT_TRUE(check_log(log_, **txn, **end, key_.get(), report));
    for (const auto& found : report.findings())
      ADD_FAILURE() << found.place << ", " << found.key << ": " << found.fault;
    notes = report.notes();
  }

  next_log next;
  bool applied = true;
  std::vector<std::string> notes;
};

}  // namespace argosy::view
