// SPDX-License-Identifier: Apache-2.0
// Goal: the check of tail and log finds each break of the chain, and takes for sound what recovery
// goes on from. Method: a history in memory, whose tail or log is damaged at one place.
#include "messages/view/check/chain.hpp"
#include "tests/unit/view/check_fixture.hpp"

namespace argosy::view {
namespace {

using store::table;
using ::testing::HasSubstr;

struct checked_chain : checked {
  void damage_tail(std::uint64_t at) {
    change([&](auto& txn) {
      const auto key = store::number_key(at);
      const std::string value{**txn.get(table::tail, key)};
      auto record = decode_tail({key, value}).value();
      record.data[record.data.size() / 2] ^= 1;
      ASSERT_TRUE(write_tail(txn, record));
    });
  }
};

TEST_F(checked_chain, one_bit_of_any_batch_of_the_tail_is_found) {
  for (std::uint64_t at = 1; at <= last; ++at) {
    const auto before = check();
    EXPECT_EQ(before.count(), 0u) << faults(before);
    damage_tail(at);
    EXPECT_THAT(faults(check()), HasSubstr("tail")) << at;
    damage_tail(at);
  }
}

TEST_F(checked_chain, a_gap_in_the_tail_is_found) {
  erase(table::tail, store::number_key(6));
  EXPECT_THAT(faults(check()), HasSubstr("follows record 5, with a gap between"));
}

TEST_F(checked_chain, a_tail_that_was_trimmed_is_sound) {
  for (std::uint64_t at = 1; at <= last; ++at) {
    erase(table::tail, store::number_key(at));
    EXPECT_EQ(check().count(), 0u) << faults(check());
  }
}

TEST_F(checked_chain, one_bit_of_any_record_of_the_log_is_found) {
  const auto flip = [](std::string& data) { data[data.size() / 2] ^= 1; };
  for (std::uint64_t at = 1; at <= last; ++at) {
    log_.damage({at}, flip);
    EXPECT_THAT(faults(check()), HasSubstr("log of generation 1")) << at;
    log_.damage({at}, flip);
  }
  EXPECT_EQ(check().count(), 0u) << faults(check());
}

TEST_F(checked_chain, a_record_that_is_missing_inside_the_log_is_found) {
  log_.lose_record({5});
  EXPECT_THAT(faults(check()), HasSubstr("log of generation 1"));
}

TEST_F(checked_chain, a_log_that_ends_before_the_store_is_found) {
  log_.lose_tail(3);
  EXPECT_THAT(faults(check()), HasSubstr("the log ends at record 9, before the store does"));
}

TEST_F(checked_chain, a_log_that_is_gone_is_found) {
  log_.remove();
  EXPECT_THAT(faults(check()), HasSubstr("the log ends at record 0"));
}

TEST_F(checked_chain, foreign_records_are_counted_and_no_fault) {
  ASSERT_TRUE(log_.append({last}, "f", "of somebody else"));
  const auto report = check();
  EXPECT_EQ(report.count(), 0u) << faults(report);
  EXPECT_THAT(notes(report), HasSubstr("and 1 foreign record."));
}

TEST_F(checked_chain, a_log_that_has_more_than_the_store_is_sound) {
  const auto older = database_.clone();
  append(decided(submitted(50)));
  check_report report;
  const auto txn = older->begin_read().value();
  const auto at = check_store(*txn, key_.get(), report);
  ASSERT_TRUE(at && *at);
  ASSERT_TRUE(check_log(log_, *txn, **at, key_.get(), report));
  EXPECT_EQ(report.count(), 0u) << faults(report);
}

TEST_F(checked_chain, a_second_generation_continues_the_first) {
  const auto all = log_.read({1}, 100, 1u << 20, std::chrono::milliseconds{0}).value();
  log_.remove();
  ASSERT_TRUE(recovered());
  auto report = check();
  EXPECT_EQ(report.count(), 0u) << faults(report);
  EXPECT_THAT(notes(report), HasSubstr("The log begins with generation 2"));
  log_.choose({1}, {0});
  ASSERT_TRUE(log_.create());
  for (const auto& record : all)
    ASSERT_TRUE(log_.append(record.position - 1, record.msg_id, record.data));
  report = check();
  EXPECT_EQ(report.count(), 0u) << faults(report);
  EXPECT_THAT(notes(report), HasSubstr("Generation 2 of the log has the records 13 to 13"));
}

TEST_F(checked_chain, what_an_operator_gave_up_is_no_fault) {
  const auto older = database_.clone();
  append(decided(submitted(50)));
  const auto lost = tests::test_key("another");
  ASSERT_TRUE(recover(*older, log_, {.accept_loss = true}, *lost));
  check_report report;
  const auto txn = older->begin_read().value();
  const auto at = check_store(*txn, lost.get(), report);
  ASSERT_TRUE(at && *at);
  ASSERT_TRUE(check_log(log_, *txn, **at, lost.get(), report));
  EXPECT_THAT(faults(report), Not(HasSubstr("log of generation"))) << faults(report);
  EXPECT_THAT(notes(report), HasSubstr("13 batches of older generations have the MAC of a key"));
}

TEST_F(checked_chain, of_many_faults_in_one_place_some_are_told_and_all_counted) {
  check_report report;
  for (int i = 0; i < 100; ++i) report.add(table::jobs_live, std::to_string(i), "is wrong");
  EXPECT_EQ(report.count(), 100u);
  EXPECT_EQ(report.findings().size(), check_report::told_max);
}

}  // namespace
}  // namespace argosy::view
