// SPDX-License-Identifier: Apache-2.0
// Goal: a writer that finds records behind its end goes on behind those that mean nothing, and
// never behind what another leader wrote, whatever it has claimed itself meanwhile. Method: two
// writers on one log in memory, of which one has a claim that is not written yet.
#include "messages/batches/log_behind.hpp"

#include <gtest/gtest.h>

#include "messages/batches/batch_core.hpp"
#include "runtime/eventlog/in_memory.hpp"
#include "tests/support/eventlog/test_key.hpp"

namespace argosy::batches {
namespace {

struct logs_behind : ::testing::Test {
  /// The writer appends a batch of this request alone.
  void write(batch_core& by, native::append_ptr request) {
    (void)by.add(std::move(request));
    const auto* batch = by.begin();
    ASSERT_NE(batch, nullptr);
    ASSERT_TRUE(log.append(batch->position - 1, batch->message_id, *batch->bytes));
    (void)by.written_to_log();
    ASSERT_TRUE(by.written_to_tail(batch->position));
  }
  static native::append_ptr some_events() {
    auto request = std::make_shared<native::append_request>();
    request->events.push_back({1, "q", model::queue_deleted{}});
    return request;
  }
  result<log_behind> seen_by(const batch_core& by) {
    return look_behind(log, by.written_end(), *key, {ec::fenced, "the log is longer"});
  }

  manual_clock clock;
  const std::shared_ptr<const codec::log_key> key = tests::test_key();
  eventlog::memory_log log{clock, {.never_wait = true}};
  batch_core first{{}, 1'000'000, key};
};

TEST_F(logs_behind, a_batch_of_the_leader_before_stands_while_a_claim_is_not_written) {
  write(first, first.claim({{1}, "first"}, 1));
  batch_core second{first.end(), 1'000'000, key};
  const auto claim = second.claim({{2}, "second"}, 1);
  write(first, some_events());
  const auto seen = seen_by(second);
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->stop) << "it was acknowledged, perhaps";
  EXPECT_TRUE(seen->foreign.empty());
}

TEST_F(logs_behind, a_claim_stands_though_a_higher_one_is_not_written) {
  write(first, first.claim({{1}, "first"}, 1));
  batch_core second{first.end(), 1'000'000, key};
  write(second, second.claim({{2}, "second"}, 1));
  const auto above = first.claim({{3}, "first"}, 1);
  const auto seen = seen_by(first);
  ASSERT_TRUE(seen);
  ASSERT_TRUE(seen->rival);
  EXPECT_EQ(seen->rival->holder, "second");
  EXPECT_EQ(seen->rival->epoch.value, 2u);
}

TEST_F(logs_behind, what_means_nothing_is_gone_behind) {
  write(first, first.claim({{1}, "first"}, 1));
  const auto old = log.get({1})->data;
  write(first, first.claim({{2}, "first"}, 1));
  ASSERT_TRUE(log.append({2}, "a", "strange"));
  ASSERT_TRUE(log.append({3}, "b", old));
  const auto seen = seen_by(first);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->stop);
  EXPECT_EQ(seen->foreign.size(), 2u);
}

}  // namespace
}  // namespace argosy::batches
