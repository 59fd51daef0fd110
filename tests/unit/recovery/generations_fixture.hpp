// SPDX-License-Identifier: Apache-2.0
// This file declares a signed history, in a log and a store, for tests that take one away from the
// other.
#pragma once

#include "messages/view/recovery/new_generation.hpp"
#include "tests/unit/recovery/recovery_fixture.hpp"

namespace argosy::view {

struct generations : view_recovery {
  generations() { write_history(10); }
  void trim_tail(std::uint64_t until) {
    auto txn = database_.begin_write();
    for (std::uint64_t position = 1; position <= until; ++position)
      ASSERT_TRUE((*txn)->erase(store::table::tail, store::number_key(position)));
    ASSERT_TRUE((*txn)->commit());
  }
  /// Leads after recovery, and submits a job.
  void go_on(const recovered_state& state, int number) {
    writer_ = batches::batch_core{state.position, 1'000'000, key_};
    append(writer_.claim({{7}, "me again"}, 1));
    append(decided(submitted(number)));
  }
  void expect_second_generation(const result<recovered_state>& state) {
    ASSERT_TRUE(state) << state.error().detail;
    EXPECT_EQ(state->begun_generation.value, 2u);
    EXPECT_EQ(state->position.generation.value, 2u);
    EXPECT_EQ(state->position.generation_base.value, 10u);
    EXPECT_EQ(state->position.position.value, 11u);
    EXPECT_EQ(jobs_in(*state), 8u);
  }
  view_position stored_position() {
    auto txn = database_.begin_read();
    return view::read_position(**txn)->value();
  }
  /// The log of generation 1 stays whole, though the second began where it ends.
  void begin_second_beside_first() {
    const auto all = log_.read({1}, 100, 1u << 20, std::chrono::milliseconds{0}).value();
    log_.remove();
    expect_second_generation(recovered());
    go_on(*recovered(), 100);
    log_.choose({1}, {0});
    ASSERT_TRUE(log_.create());
    for (const auto& record : all)
      ASSERT_TRUE(log_.append(record.position - 1, record.msg_id, record.data));
  }
  void expect_rebuilt() {
    store::memory_database empty;
    const auto state = recover(empty, log_, {}, *key_);
    ASSERT_TRUE(state) << state.error().detail;
    EXPECT_EQ(jobs_in(*state), 9u);
    EXPECT_EQ(state->position.generation.value, 2u);
  }
};

}  // namespace argosy::view
