// SPDX-License-Identifier: Apache-2.0
// Goal: many rounds that kept a job become a few counts and spans. Method: entries as rounds of one
// and of two pools give them.
#include "messages/past/cause_tally.hpp"

#include <gmock/gmock.h>

namespace argosy::past {
namespace {

using ::testing::ElementsAre;

cause_entry entry(std::uint64_t round, const std::string& code,
                  const model::pool_name& pool = "main") {
  return {pool, code, "because of " + code, 1, round, static_cast<std::int64_t>(round * 10)};
}

v1::JobHistory written(const cause_tally& tally) {
  v1::JobHistory out;
  tally.write(out);
  return out;
}

/// "pool CODE first..last xrounds" for each span.
std::vector<std::string> spans(const v1::JobHistory& of) {
  std::vector<std::string> out;
  for (const auto& span : of.spans())
    out.push_back(span.pool() + " " + span.code() + " " + std::to_string(span.first_round()) +
                  ".." + std::to_string(span.last_round()) + " x" + std::to_string(span.rounds()));
  return out;
}

TEST(cause_tallies, count_rounds_by_cause_and_put_the_most_frequent_first) {
  cause_tally tally;
  tally.add(entry(1, "LIMIT"));
  for (std::uint64_t round = 2; round < 5; ++round) tally.add(entry(round, "NO_FIT"));
  const auto got = written(tally);
  ASSERT_EQ(got.causes_size(), 2);
  EXPECT_EQ(got.causes(0).code(), "NO_FIT");
  EXPECT_EQ(got.causes(0).rounds(), 3U);
  EXPECT_EQ(got.verdict(), "3 rounds: because of NO_FIT; 1 round: because of LIMIT");
}

TEST(cause_tallies, make_one_span_of_rounds_with_the_same_cause) {
  cause_tally counted;
  std::uint64_t round = 0;
  for (const auto* code : {"A", "A", "B", "A", "A"}) counted.add(entry(++round, code));
  EXPECT_THAT(spans(written(counted)),
              ElementsAre("main A 1..2 x2", "main B 3..3 x1", "main A 4..5 x2"));
  EXPECT_EQ(written(counted).spans(2).first_ns(), 40);
  EXPECT_EQ(written(counted).spans(2).last_ns(), 50);
}

TEST(cause_tallies, keep_the_spans_of_two_pools_apart) {
  cause_tally tally;
  for (std::uint64_t round = 1; round < 7; round += 2) {
    tally.add(entry(round, "A", "one"));
    tally.add(entry(round + 1, round < 5 ? "B" : "C", "two"));
  }
  const auto got = written(tally);
  EXPECT_THAT(spans(got), ElementsAre("one A 1..5 x3", "two B 2..4 x2", "two C 6..6 x1"));
  EXPECT_THAT(got.verdict(), ::testing::HasSubstr("3 rounds of pool one: because of A"));
}

TEST(cause_tallies, end_the_spans_of_all_pools_by_what_holds_for_all) {
  cause_tally tally;
  tally.add(entry(1, "A"));
  tally.add({"", "HELD", "it was held back", 2, 2, 20});
  tally.add(entry(4, "A"));
  EXPECT_THAT(spans(written(tally)),
              ElementsAre("main A 1..1 x1", " HELD 2..3 x2", "main A 4..4 x1"));
}

TEST(cause_tallies, forget_the_oldest_spans_but_count_them) {
  cause_tally tally{2};
  for (std::uint64_t round = 1; round < 6; ++round)
    tally.add(entry(round, round % 2 == 0 ? "A" : "B"));
  const auto got = written(tally);
  EXPECT_THAT(spans(got), ElementsAre("main A 4..4 x1", "main B 5..5 x1"));
  EXPECT_EQ(got.causes(0).rounds() + got.causes(1).rounds(), 5U);
}

TEST(cause_tallies, of_no_round_say_nothing) {
  EXPECT_EQ(written(cause_tally{}).verdict(), "");
}

}  // namespace
}  // namespace argosy::past
