// SPDX-License-Identifier: Apache-2.0
// Goal: what operators decide, cordons and retry policies, is found again in the log and in the
// store, complete. Method: events go through the codec of the log, and changes through the database
// in memory.
#include <gmock/gmock.h>

#include "messages/codec/log/event_size.hpp"
#include "messages/codec/log/log_codec.hpp"
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
