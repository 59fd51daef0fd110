// SPDX-License-Identifier: Apache-2.0
// Goal: a record of the audit trail is found again in the log and in the store, complete, is listed
// by its filters, and expires. Method: the codec of the log, and the database in memory.
#include "messages/view/call_table.hpp"

#include <gmock/gmock.h>

#include "messages/codec/log/event_size.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {
namespace {

using model::call_recorded;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const call_recorded complete{7,        "ann", "oidc", "grpc", "127.0.0.1:1", "Submit.CancelJobs",
                             "denied", "no",  "q",    "s",    "c",           "n",
                             9,        "w",   3};

TEST(recorded_calls, pass_through_the_log_complete) {
  const model::event event{12345, "", complete};
  const auto bytes = codec::encode_event(event, true);
  const auto decoded = codec::decode_event(bytes);
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  EXPECT_EQ(std::get<call_recorded>(decoded->payload), complete);
  EXPECT_LE(bytes.size(), codec::size_hint(event));
  EXPECT_EQ(model::name_of(decoded->payload), "call_recorded");
  const model::history_expired limits{1, 3, 4, 5, {}, {7, 9}};
  const auto expired = codec::decode_event(codec::encode_event({1, "", limits}, true));
  ASSERT_TRUE(expired);
  EXPECT_EQ(std::get<model::history_expired>(expired->payload).audit_before_ns, 5);
  EXPECT_THAT(std::get<model::history_expired>(expired->payload).audit_numbers, ElementsAre(7, 9));
}

struct call_table : ::testing::Test {
  /// Writes records from 1 on at 10, 20 ...: every second one of bob, every third one denied.
  void fill(std::uint64_t count) {
    auto txn = database.begin_write();
    for (std::uint64_t i = 1; i <= count; ++i) {
      call_recorded call;
      call.number = i;
      call.user = i % 2 == 0 ? "bob" : "ann";
      call.method = i % 2 == 0 ? "Submit.CancelJobs" : "QueueService.CreateQueue";
      call.outcome = i % 3 == 0 ? "denied" : "ok";
      call.queue = model::queue_name{i == 4 ? "q" : ""};
      const ledger::put_call change{static_cast<std::int64_t>(i) * 10, call};
      ASSERT_TRUE(write_change(**txn, change, {}));
    }
    ASSERT_TRUE((*txn)->commit());
  }
  native::audit_page page(const native::list_audit& query, std::size_t looked_at_max = 100) {
    auto txn = database.begin_read();
    auto out = list_calls(**txn, query, looked_at_max);
    EXPECT_TRUE(out) << to_string(out.error());
    return out ? std::move(*out) : native::audit_page{};
  }
  std::vector<std::uint64_t> listed(const native::list_audit& query) {
    std::vector<std::uint64_t> out;
    for (const auto& entry : page(query).entries) out.push_back(entry.call.number);
    return out;
  }
  void expire(const model::history_expired& limits) {
    auto txn = database.begin_write();
    ASSERT_TRUE(expire_history(**txn, limits));
    ASSERT_TRUE((*txn)->commit());
  }
  ledger::oldest_kept oldest() {
    auto txn = database.begin_read();
    return read_oldest_kept(**txn).value();
  }

  store::memory_database database;
};

TEST_F(call_table, lists_the_newest_first_by_each_filter) {
  fill(6);
  EXPECT_THAT(listed({}), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(listed({.user = "bob"}), ElementsAre(6, 4, 2));
  EXPECT_THAT(listed({.method = "QueueService.CreateQueue"}), ElementsAre(5, 3, 1));
  EXPECT_THAT(listed({.method = "CreateQueue"}), ElementsAre(5, 3, 1));
  EXPECT_THAT(listed({.method = "Queue"}), IsEmpty());
  EXPECT_THAT(listed({.queue = "q"}), ElementsAre(4));
  EXPECT_THAT(listed({.outcome = "denied"}), ElementsAre(6, 3));
  EXPECT_THAT(listed({.outcome = "refused"}), ElementsAre(6, 3));
  EXPECT_THAT(listed({.outcome = "ok"}), ElementsAre(5, 4, 2, 1));
  EXPECT_THAT(listed({.since_ns = 20, .until_ns = 40}), ElementsAre(3, 2));
  EXPECT_THAT(listed({.user = "bob", .outcome = "denied"}), ElementsAre(6));
}

TEST_F(call_table, lists_in_pages) {
  fill(5);
  auto first = page({.limit = 2});
  ASSERT_EQ(first.entries.size(), 2U);
  EXPECT_EQ(first.next, 4U);
  EXPECT_EQ(first.entries[1].time_ns, 40);
  EXPECT_THAT(listed({.limit = 2, .below = first.next}), ElementsAre(3, 2));
  EXPECT_EQ(page({.limit = 1, .below = 2}).next, 0U);
  const auto short_look = page({.queue = "none"}, 3);
  EXPECT_THAT(short_look.entries, IsEmpty());
  EXPECT_EQ(short_look.next, 3U) << "it goes on where it stopped looking";
}

TEST_F(call_table, expires_by_age_and_by_number) {
  EXPECT_EQ(oldest().audit_first, 0U);
  fill(6);
  EXPECT_EQ(oldest().audit_ns, 10);
  EXPECT_EQ(oldest().audit_first, 1U);
  EXPECT_EQ(oldest().audit_last, 6U);
  expire({.records_max = 100, .audit_before_ns = 30});
  EXPECT_THAT(listed({}), ElementsAre(6, 5, 4, 3));
  expire({.records_max = 100, .audit_before_ns = 1, .audit_numbers = {3, 4}});
  EXPECT_THAT(listed({}), ElementsAre(6, 5));
  expire({.records_max = 1, .audit_before_ns = 1'000});
  EXPECT_THAT(listed({}), ElementsAre(6)) << "a part has a size";
  auto txn = database.begin_read();
  EXPECT_EQ(last_call(**txn).value(), 6U);
}

TEST_F(call_table, gives_up_the_records_that_are_named) {
  fill(6);
  expire({.records_max = 100, .audit_numbers = {2, 5, 9}});
  EXPECT_THAT(listed({}), ElementsAre(6, 4, 3, 1));
  expire({.records_max = 1, .audit_numbers = {1, 3}});
  EXPECT_THAT(listed({}), ElementsAre(6, 4, 3)) << "a part has a size";
}

TEST_F(call_table, tells_the_callers_of_records_in_pages) {
  fill(5);
  auto txn = database.begin_read();
  const auto first = list_callers(**txn, {0, 2});
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->more);
  ASSERT_EQ(first->records.size(), 2U);
  EXPECT_EQ(first->records[0].first, 1U);
  const auto rest = list_callers(**txn, {2, 3});
  ASSERT_TRUE(rest);
  EXPECT_FALSE(rest->more);
  ASSERT_EQ(rest->records.size(), 3U);
  EXPECT_EQ(rest->records[0].second, first->records[0].second) << "one caller has every second one";
  EXPECT_NE(rest->records[0].second, rest->records[1].second);
}

TEST_F(call_table, keeps_records_complete) {
  {
    auto txn = database.begin_write();
    ASSERT_TRUE(write_call(**txn, {77, complete}));
    ASSERT_TRUE((*txn)->commit());
  }
  const auto all = page({});
  ASSERT_EQ(all.entries.size(), 1U);
  EXPECT_EQ(all.entries[0].time_ns, 77);
  EXPECT_EQ(all.entries[0].call, complete);
}

}  // namespace
}  // namespace argosy::view
