// SPDX-License-Identifier: Apache-2.0
// Goal: what operators decide, cordons, operations and retry policies, is found again in the log
// and in the store, complete. Method: events go through the codec of the log, and changes through
// the database in memory.
#include <gmock/gmock.h>

#include "messages/codec/log/event_size.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/operation_table.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/scan.hpp"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::view {
namespace {

using codec::id_of;
using store::table;

/// What comes back for a payload of the log.
template <class Payload>
Payload passed(const Payload& payload) {
  const model::event event{12345, "", payload};
  const auto bytes = codec::encode_event(event, true);
  const auto decoded = codec::decode_event(bytes);
  EXPECT_TRUE(decoded) << to_string(decoded.error());
  if (!decoded) return {};
  EXPECT_LE(bytes.size(), codec::size_hint(event));
  const auto* out = std::get_if<Payload>(&decoded->payload);
  EXPECT_NE(out, nullptr);
  return out ? *out : Payload{};
}

struct operator_records : ::testing::Test {
  void write(const ledger::change& change) {
    auto txn = database.begin_write();
    ASSERT_TRUE(txn);
    const auto written = write_change(**txn, change, {});
    ASSERT_TRUE(written) << written.error().detail;
    ASSERT_TRUE((*txn)->commit());
  }

  std::vector<std::pair<std::string, std::string>> all(table in) {
    std::vector<std::pair<std::string, std::string>> out;
    auto txn = database.begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry& entry) {
      out.emplace_back(entry.key, entry.value);
      return true;
    }));
    return out;
  }

  store::memory_database database;
};

TEST(operator_records_log, retries_and_their_policies) {
  const model::run_key run{id_of(3), 2};
  const model::run_outcome outcome{137, 9, "OOMKilled", "too large"};
  const auto retried = passed(model::run_retried{run, outcome, "p", true, 1 << 30});
  EXPECT_EQ(retried.run, run);
  EXPECT_EQ(retried.outcome, outcome);
  EXPECT_EQ(retried.policy, "p");
  EXPECT_TRUE(retried.avoid_node);
  EXPECT_EQ(retried.memory, 1 << 30);
  const model::retry_policy policy{
      "p",
      3,
      model::retry_action::fail,
      {{model::retry_action::retry, "oom", "heap", true, {{1.25, {}}}},
       {model::retry_action::retry, "storage", "", false, {{{}, 1'000'000'007}}}}};
  EXPECT_EQ(passed(model::retry_policy_set{policy}).policy, policy);
  auto longer = policy;
  longer.rules[0].category = std::string(1'000, 'c');
  EXPECT_EQ(passed(model::retry_policy_set{longer}).policy, longer);
  EXPECT_EQ(passed(model::retry_policy_deleted{"p"}).name, "p");
}

TEST(operator_records_log, cordons) {
  const auto cordon = passed(model::cordon_changed{"c", "n", true, "alice", "its fan"});
  EXPECT_EQ(cordon.cluster, "c");
  EXPECT_EQ(cordon.node, "n");
  EXPECT_TRUE(cordon.on);
  EXPECT_EQ(cordon.by, "alice");
  EXPECT_EQ(cordon.reason, "its fan");
  EXPECT_FALSE(passed(model::cordon_changed{"c", "", false, "alice", ""}).on);
}

TEST(operator_records_log, operations) {
  model::operation drain;
  drain.id = id_of(4);
  drain.state = model::operation_state::stopped;
  drain.cluster = "c";
  drain.node = "n";
  drain.by = "ann";
  drain.reason = "its fan";
  drain.begun_ns = 5;
  drain.ended_ns = 6;
  drain.total = 17;
  drain.done = 14;
  drain.detail = "stopped by bob";
  drain.deadline_ns = 7;
  drain.preempts = true;
  EXPECT_EQ(passed(model::operation_changed{drain}).now, drain);
  model::operation change;
  change.id = id_of(5);
  change.kind = model::operation_kind::reprioritize;
  change.queue = "q";
  change.job_set = "s";
  change.jobs = {15, {"high", "low"}, {"gpu"}, 7, true};
  EXPECT_EQ(passed(model::operation_changed{change}).now, change);
}

TEST_F(operator_records, cordons_are_kept_by_cluster_and_node) {
  const model::cordon cordon{"alice", "its fan", 77};
  write(ledger::put_cordon{"c", "", cordon});
  write(ledger::put_cordon{"c", "n", cordon});
  const auto entries = all(table::cordons);
  ASSERT_EQ(entries.size(), 2U);
  for (const auto& [key, value] : entries) {
    const auto read = decode_cordon({key, value});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->cluster, "c");
    EXPECT_EQ(read->node, &key == &entries[0].first ? "" : "n");
    EXPECT_EQ(read->cordon, cordon);
  }
  write(ledger::erase_cordon{"c", ""});
  write(ledger::erase_cordon{"c", "n"});
  EXPECT_TRUE(all(table::cordons).empty());
}

model::operation operation_at(std::uint64_t millis, model::operation_state state,
                              model::queue_name queue = {}) {
  model::operation out;
  out.id = ulid_from_hash(millis, 1, millis);
  out.state = state;
  out.queue = std::move(queue);
  out.cluster = "c";
  return out;
}

TEST_F(operator_records, operations_that_have_ended_leave_when_there_are_newer_ones) {
  using enum model::operation_state;
  write(ledger::put_operation{operation_at(1, running)});
  write(ledger::put_operation{operation_at(2, running)});
  write(ledger::put_operation{operation_at(2, done)});
  EXPECT_EQ(all(table::operations).size(), 2U) << "an operation has one record";
  for (std::size_t i = 0; i < model::operations_kept; ++i)
    write(ledger::put_operation{operation_at(10 + i, stopped)});
  EXPECT_EQ(all(table::operations).size(), model::operations_kept + 1);
  auto txn = database.begin_read();
  ASSERT_TRUE(txn);
  const auto going_on = running_operations(**txn);
  ASSERT_TRUE(going_on);
  EXPECT_EQ(*going_on, (std::vector{operation_at(1, running)})) << "what goes on is never dropped";
}

TEST_F(operator_records, operations_are_listed_in_pages_the_newest_first) {
  using enum model::operation_state;
  write(ledger::put_operation{operation_at(1, running)});
  for (const auto* queue : {"a", "b"})
    write(ledger::put_operation{operation_at(2, done, model::queue_name{queue})});
  auto txn = database.begin_read();
  ASSERT_TRUE(txn);
  const auto first = list_operations(**txn, {{}, false, 2, {}});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->operations,
            (std::vector{operation_at(2, done, "b"), operation_at(2, done, "a")}));
  ASSERT_TRUE(first->next);
  const auto rest = list_operations(**txn, {{}, false, 2, first->next});
  EXPECT_EQ(rest->operations, (std::vector{operation_at(1, running)}));
  EXPECT_FALSE(rest->next);
  EXPECT_EQ(list_operations(**txn, {{}, true, 0, {}})->operations.size(), 1U);
  const auto id = to_string(operation_at(2, done).id);
  EXPECT_EQ(list_operations(**txn, {id, false, 0, {}})->operations.size(), 2U);
}

TEST_F(operator_records, retry_policies_are_kept_by_name) {
  const model::retry_policy policy{
      "p", 3, model::retry_action::fail, {{model::retry_action::retry, "oom", "heap", true, {}}}};
  write(ledger::put_retry_policy{policy});
  const auto entries = all(table::retry_policies);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].first, "p");
  const auto read = decode_retry_policy(entries[0].second);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, policy);
  write(ledger::erase_retry_policy{"p"});
  EXPECT_TRUE(all(table::retry_policies).empty());
}

}  // namespace
}  // namespace argosy::view
