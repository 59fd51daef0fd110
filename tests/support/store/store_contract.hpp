// SPDX-License-Identifier: Apache-2.0
// Goal: every database keeps order, isolation and atomicity in the same way.
// Method: small transactions over each implementation, compared with a std::map where random.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/random.hpp"
#include "runtime/store/database.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::testing {

/// A database with what it lives in.
class store_under_test {
 public:
  virtual ~store_under_test() = default;
  [[nodiscard]] virtual store::database& db() = 0;
};

struct store_kind {
  std::string name;
  /// Makes a database with a limit on its size in bytes.
  std::function<std::unique_ptr<store_under_test>(std::uint64_t limit)> make;
};

inline void PrintTo(const store_kind& kind, std::ostream* out) {
  *out << kind.name;
}

inline std::string store_kind_name(const ::testing::TestParamInfo<store_kind>& info) {
  return info.param.name;
}

class store_contract : public ::testing::TestWithParam<store_kind> {
 protected:
  using rows = std::vector<std::pair<std::string, std::string>>;
  static constexpr auto in = store::table::events;

  [[nodiscard]] store::database& db() { return held_->db(); }
  void put_all(const rows& what) {
    const auto txn = db().begin_write().value();
    for (const auto& [key, value] : what) ASSERT_TRUE(txn->put(in, key, value).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  }
  static std::string value_of(store::read_txn& txn, std::string_view key) {
    const auto got = txn.get(in, key);
    EXPECT_TRUE(got.has_value());
    return got && *got ? std::string{**got} : "(none)";
  }
  static rows all(store::read_txn& txn, std::string_view prefix = {}, std::string_view from = {}) {
    rows out;
    const auto take = [&](const store::entry& e) {
      out.emplace_back(e.key, e.value);
      return true;
    };
    EXPECT_TRUE(store::scan(txn, in, prefix, take, from).has_value());
    return out;
  }
  static rows all_reverse(store::read_txn& txn, std::string_view prefix = {},
                          std::string_view before = {}) {
    rows out;
    const auto take = [&](const store::entry& e) {
      out.emplace_back(e.key, e.value);
      return true;
    };
    EXPECT_TRUE(store::scan_reverse(txn, in, prefix, take, before).has_value());
    return out;
  }

  std::unique_ptr<store_under_test> held_ = GetParam().make(64u << 20);
};

TEST_P(store_contract, gives_back_what_was_committed) {
  const std::string bytes{"\0\xff\n", 3};
  put_all({{"a", "1"}, {bytes, bytes}, {"empty", ""}});
  const auto txn = db().begin_read().value();
  EXPECT_EQ(value_of(*txn, "a"), "1");
  EXPECT_EQ(value_of(*txn, bytes), bytes);
  EXPECT_EQ(value_of(*txn, "empty"), "");
  EXPECT_EQ(value_of(*txn, "b"), "(none)");
  EXPECT_EQ(value_of(*txn, ""), "(none)");
  EXPECT_EQ(value_of(*txn, std::string(600, 'x')), "(none)");
  EXPECT_EQ(txn->count(in).value(), 3u);
  EXPECT_FALSE(txn->get(store::table::tail, "a").value().has_value());
}

TEST_P(store_contract, replaces_and_erases) {
  put_all({{"a", "1"}, {"b", "2"}});
  const auto txn = db().begin_write().value();
  ASSERT_TRUE(txn->put(in, "a", "longer than before").has_value());
  EXPECT_TRUE(txn->erase(in, "b").value());
  EXPECT_FALSE(txn->erase(in, "b").value());
  EXPECT_FALSE(txn->erase(in, "never").value());
  EXPECT_EQ(txn->count(in).value(), 1u);
  EXPECT_EQ(value_of(*txn, "a"), "longer than before");
  ASSERT_TRUE(txn->commit().has_value());
  EXPECT_EQ(all(*db().begin_read().value()), (rows{{"a", "longer than before"}}));
}

TEST_P(store_contract, a_dropped_transaction_changes_nothing) {
  put_all({{"a", "1"}});
  {
    const auto txn = db().begin_write().value();
    ASSERT_TRUE(txn->put(in, "a", "2").has_value());
    ASSERT_TRUE(txn->put(in, "b", "2").has_value());
    EXPECT_EQ(all(*txn).size(), 2u);
  }
  EXPECT_EQ(all(*db().begin_read().value()), (rows{{"a", "1"}}));
}

TEST_P(store_contract, a_reader_keeps_its_view) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto before = db().begin_read().value();
  const auto writer = db().begin_write().value();
  ASSERT_TRUE(writer->put(in, "a", "2").has_value());
  ASSERT_TRUE(writer->erase(in, "b").value());
  const auto during = db().begin_read().value();
  ASSERT_TRUE(writer->commit().has_value());
  const auto after = db().begin_read().value();
  const rows old{{"a", "1"}, {"b", "1"}};
  EXPECT_EQ(all(*before), old);
  EXPECT_EQ(all(*during), old);
  EXPECT_EQ(all(*after), (rows{{"a", "2"}}));
}

TEST_P(store_contract, orders_keys_as_unsigned_bytes) {
  put_all({{"b", ""}, {"\xff", ""}, {"a", ""}, {"aa", ""}, {"\x7f", ""}});
  const auto txn = db().begin_read().value();
  EXPECT_EQ(all(*txn), (rows{{"a", ""}, {"aa", ""}, {"b", ""}, {"\x7f", ""}, {"\xff", ""}}));
}

TEST_P(store_contract, scans_prefixes_both_ways_and_from_the_middle) {
  put_all({{"a1", "1"}, {"b1", "2"}, {"b2", "3"}, {"b3", "4"}, {"c1", "5"}});
  const auto txn = db().begin_read().value();
  EXPECT_EQ(all(*txn, "b"), (rows{{"b1", "2"}, {"b2", "3"}, {"b3", "4"}}));
  EXPECT_EQ(all(*txn, "b", "b2"), (rows{{"b2", "3"}, {"b3", "4"}}));
  EXPECT_EQ(all(*txn, "b", "b21"), (rows{{"b3", "4"}}));
  EXPECT_EQ(all(*txn, "x"), rows{});
  EXPECT_EQ(all_reverse(*txn, "b"), (rows{{"b3", "4"}, {"b2", "3"}, {"b1", "2"}}));
  EXPECT_EQ(all_reverse(*txn, "b", "b3"), (rows{{"b2", "3"}, {"b1", "2"}}));
  EXPECT_EQ(all_reverse(*txn, "c"), (rows{{"c1", "5"}}));
  EXPECT_EQ(all_reverse(*txn).size(), 5u);
  EXPECT_EQ(store::last(*txn, in).value()->key, "c1");
  EXPECT_EQ(store::last(*txn, in, "a").value()->value, "1");
  EXPECT_FALSE(store::last(*txn, in, "x").value().has_value());
  EXPECT_FALSE(store::last(*txn, store::table::tail).value().has_value());
}

TEST_P(store_contract, a_prefix_of_the_highest_bytes_has_a_last_key) {
  put_all({{"\xff\xff", "1"}, {"\xff\xff\x01", "2"}, {"a", "3"}});
  const auto txn = db().begin_read().value();
  EXPECT_EQ(store::last(*txn, in, "\xff\xff").value()->value, "2");
}

TEST_P(store_contract, a_cursor_turns_at_both_ends) {
  put_all({{"a", "1"}, {"b", "2"}});
  const auto txn = db().begin_read().value();
  const auto walk = txn->open_cursor(in).value();
  EXPECT_EQ(walk->next().value()->key, "a");
  EXPECT_EQ(walk->next().value()->key, "b");
  EXPECT_FALSE(walk->next().value().has_value());
  EXPECT_FALSE(walk->next().value().has_value());
  EXPECT_EQ(walk->previous().value()->key, "b");
  EXPECT_EQ(walk->previous().value()->key, "a");
  EXPECT_FALSE(walk->previous().value().has_value());
  EXPECT_FALSE(walk->previous().value().has_value());
  EXPECT_EQ(walk->next().value()->key, "a");
  EXPECT_EQ(walk->seek("aa").value()->key, "b");
  EXPECT_FALSE(walk->seek("c").value().has_value());
  EXPECT_EQ(walk->previous().value()->key, "b");
  EXPECT_EQ(txn->open_cursor(in).value()->previous().value()->key, "b");
}

TEST_P(store_contract, appends_only_behind_the_last_key) {
  const auto txn = db().begin_write().value();
  for (std::uint64_t i = 1; i <= 1'000; ++i)
    ASSERT_TRUE(txn->append(in, store::number_key(i), std::to_string(i)).has_value());
  EXPECT_EQ(txn->append(in, store::number_key(1'000), "").error().code, ec::conflict);
  EXPECT_EQ(txn->append(in, store::number_key(5), "").error().code, ec::conflict);
  ASSERT_TRUE(txn->commit().has_value());
  const auto seen = db().begin_read().value();
  EXPECT_EQ(seen->count(in).value(), 1'000u);
  EXPECT_EQ(store::last(*seen, in).value()->value, "1000");
}

TEST_P(store_contract, erases_ranges_in_bounded_steps) {
  rows what;
  for (std::uint64_t i = 0; i < 100; ++i) what.emplace_back(store::number_key(i), "x");
  put_all(what);
  const auto txn = db().begin_write().value();
  const auto to = store::number_key(50);
  EXPECT_EQ(store::erase_range(*txn, in, {}, to, 30).value(), 30u);
  EXPECT_EQ(store::erase_range(*txn, in, {}, to, 30).value(), 20u);
  EXPECT_EQ(store::erase_range(*txn, in, {}, to, 30).value(), 0u);
  EXPECT_EQ(txn->count(in).value(), 50u);
  EXPECT_EQ(store::erase_range(*txn, in, store::number_key(90), {}, 30).value(), 10u);
}

TEST_P(store_contract, refuses_keys_without_or_with_too_many_bytes) {
  const auto txn = db().begin_write().value();
  EXPECT_TRUE(txn->put(in, std::string(511, 'k'), "v").has_value());
  EXPECT_EQ(txn->put(in, "", "v").error().code, ec::invalid_argument);
  EXPECT_EQ(txn->put(in, std::string(512, 'k'), "v").error().code, ec::invalid_argument);
  EXPECT_EQ(txn->erase(in, "").error().code, ec::invalid_argument);
  EXPECT_TRUE(txn->commit().has_value());
}

TEST_P(store_contract, a_full_database_refuses_and_keeps_what_it_had) {
  held_ = GetParam().make(4u << 20);
  put_all({{"a", "1"}});
  const std::string big(512u << 10, 'x');
  {
    const auto txn = db().begin_write().value();
    result<void> put;
    for (int i = 0; i < 20 && put; ++i) put = txn->put(in, "big" + std::to_string(i), big);
    const auto done = txn->commit();
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, ec::out_of_space) << done.error().detail;
  }
  EXPECT_EQ(all(*db().begin_read().value()), (rows{{"a", "1"}}));
  put_all({{"b", "2"}});
  EXPECT_EQ(all(*db().begin_read().value()), (rows{{"a", "1"}, {"b", "2"}}));
}

TEST_P(store_contract, equals_a_map_under_random_use) {
  seeded_random random{11};
  std::map<std::string, std::string> model;
  for (int round = 0; round < 50; ++round) {
    const auto txn = db().begin_write().value();
    auto changed = model;
    for (int step = 0; step < 40; ++step) {
      const auto key = "k" + std::to_string(random.next() % 60);
      if (random.next() % 3 == 0) {
        EXPECT_EQ(txn->erase(in, key).value(), changed.erase(key) == 1);
      } else {
        const std::string value(random.next() % 6'000, static_cast<char>('a' + step % 26));
        ASSERT_TRUE(txn->put(in, key, value).has_value());
        changed[key] = value;
      }
      if (step % 10 == 0) {
        EXPECT_EQ(all(*txn), rows(changed.begin(), changed.end()));
        EXPECT_EQ(all_reverse(*txn), rows(changed.rbegin(), changed.rend()));
      }
    }
    EXPECT_EQ(txn->count(in).value(), changed.size());
    if (random.next() % 4 == 0) continue;
    ASSERT_TRUE(txn->commit().has_value());
    model = changed;
    EXPECT_EQ(all(*db().begin_read().value()), rows(model.begin(), model.end()));
  }
}

TEST_P(store_contract, several_threads_read_while_one_writes) {
  put_all({{"a", "0"}, {"b", "0"}});
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([this] {
      for (int i = 0; i < 300; ++i) {
        const auto txn = db().begin_read().value();
        EXPECT_EQ(value_of(*txn, "a"), value_of(*txn, "b"));
      }
    });
  }
  for (int i = 1; i <= 100; ++i) put_all({{"a", std::to_string(i)}, {"b", std::to_string(i)}});
  for (auto& reader : readers) reader.join();
}

}  // namespace argosy::testing
