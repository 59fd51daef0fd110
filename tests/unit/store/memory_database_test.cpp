// SPDX-License-Identifier: Apache-2.0
// Goal: the database in memory keeps the contract, and its faults do what they say.
// Method: the shared contract, then each hook by itself.
#include <gtest/gtest.h>

#include "runtime/store/in_memory.hpp"
#include "tests/support/store/store_contract.hpp"

namespace argosy::testing {
namespace {

class memory_store final : public store_under_test {
 public:
  explicit memory_store(std::uint64_t limit) : db_(limit) {}
  store::database& db() override { return db_; }

 private:
  store::memory_database db_;
};

INSTANTIATE_TEST_SUITE_P(
    memory, store_contract,
    ::testing::Values(store_kind{
        "memory", [](std::uint64_t limit) { return std::make_unique<memory_store>(limit); }}),
    store_kind_name);

TEST(memory_database, a_failed_commit_keeps_nothing_and_the_next_one_works) {
  store::memory_database db;
  db.fail_next_commit({ec::out_of_space, "disk full"});
  auto txn = db.begin_write().value();
  ASSERT_TRUE(txn->put(store::table::meta, "a", "1").has_value());
  EXPECT_EQ(txn->commit().error().code, ec::out_of_space);
  txn = db.begin_write().value();
  EXPECT_FALSE(txn->get(store::table::meta, "a").value().has_value());
  ASSERT_TRUE(txn->put(store::table::meta, "a", "2").has_value());
  EXPECT_TRUE(txn->commit().has_value());
}

TEST(memory_database, a_clone_is_the_last_commit_and_independent) {
  store::memory_database db;
  auto txn = db.begin_write().value();
  ASSERT_TRUE(txn->put(store::table::meta, "a", "1").has_value());
  ASSERT_TRUE(txn->commit().has_value());
  txn = db.begin_write().value();
  ASSERT_TRUE(txn->put(store::table::meta, "a", "2").has_value());
  const auto copy = db.clone();
  ASSERT_TRUE(txn->commit().has_value());
  EXPECT_EQ(copy->begin_read().value()->get(store::table::meta, "a").value(), "1");
  EXPECT_EQ(db.begin_read().value()->get(store::table::meta, "a").value(), "2");
  EXPECT_EQ(copy->usage().value().used_bytes, 2u);
}

}  // namespace
}  // namespace argosy::testing
