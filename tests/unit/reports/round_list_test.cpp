// SPDX-License-Identifier: Apache-2.0
// Goal: who asks what rounds did gets the pool, the time and the queues that he asked for. Method:
// spans written down by hand.
#include "messages/rounds/reports/round_list.hpp"

#include <gmock/gmock.h>

namespace argosy::rounds {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

native::round_span span_at(std::int64_t at_ns, std::vector<std::pair<std::string, double>> has) {
  native::round_span out;
  out.from_ns = out.to_ns = at_ns;
  out.rounds = 1;
  out.kept = {{"JOB_DOES_NOT_FIT", 3}};
  for (auto& [name, share] : has)
    out.queues.push_back({std::make_shared<const std::string>(name), {0.5, share, 1}});
  return out;
}

native::round_report rounds_of_two_pools() {
  native::round_report out;
  const auto add = [](native::round_trend& to, native::round_span what) {
    to.spans.push_back(std::make_shared<native::round_span>(std::move(what)));
  };
  auto& first = out.trends.emplace_back();
  first.pool = "a";
  add(first, span_at(100, {{"p", 0.9}, {"q", 0.1}}));
  add(first, span_at(200, {{"p", 0.2}, {"q", 0.7}, {"r", 0.1}}));
  auto& other = out.trends.emplace_back();
  other.pool = "b";
  add(other, span_at(150, {}));
  return out;
}

TEST(round_lists, tell_the_shares_of_those_that_had_most_at_last) {
  v1::ListRoundsRequest asked;
  asked.set_queues(2);
  const auto out = round_list(rounds_of_two_pools(), asked);
  ASSERT_THAT(out.pools(), SizeIs(2));
  EXPECT_THAT(out.pools(0).queues(), ElementsAre("q", "p"));
  ASSERT_THAT(out.pools(0).spans(), SizeIs(2));
  const auto& last = out.pools(0).spans(1);
  ASSERT_THAT(last.shares(), SizeIs(2));
  EXPECT_EQ(last.shares(0).queue(), 1U) << "p is the second one";
  EXPECT_EQ(last.shares(0).actual_share(), 0.2);
  EXPECT_EQ(last.kept(0).code(), "JOB_DOES_NOT_FIT");
  EXPECT_EQ(last.kept(0).jobs(), 3U);
}

TEST(round_lists, tell_one_queue_and_one_pool_from_a_time_on) {
  v1::ListRoundsRequest asked;
  asked.set_pool("a");
  asked.set_queue("r");
  asked.set_since_ns(100);
  const auto out = round_list(rounds_of_two_pools(), asked);
  ASSERT_THAT(out.pools(), SizeIs(1));
  EXPECT_THAT(out.pools(0).queues(), ElementsAre("r"));
  ASSERT_THAT(out.pools(0).spans(), SizeIs(1));
  EXPECT_EQ(out.pools(0).spans(0).shares(0).actual_share(), 0.1);
}

TEST(round_lists, tell_the_last_round_of_each_pool_that_has_nodes) {
  native::round_report from;
  for (const auto* pool : {"a", "b"}) {
    auto& round = from.pools.emplace_back();
    round.pool = model::pool_name{pool};
    round.number = 12;
    round.time_ns = 7;
    round.started = 3;
    round.preempted = 1;
    round.discarded = "it starts a job twice";
  }
  v1::ListRoundsRequest asked;
  EXPECT_THAT(round_list(from, asked).last(), SizeIs(2));
  asked.set_pool("b");
  const auto out = round_list(from, asked);
  ASSERT_THAT(out.last(), SizeIs(1));
  EXPECT_EQ(out.last(0).pool(), "b");
  EXPECT_EQ(out.last(0).number(), 12U);
  EXPECT_EQ(out.last(0).time_ns(), 7);
  EXPECT_EQ(out.last(0).started(), 3U);
  EXPECT_EQ(out.last(0).preempted(), 1U);
  EXPECT_EQ(out.last(0).discarded(), "it starts a job twice");
}

TEST(round_lists, tell_at_most_fifty_queues) {
  native::round_report from;
  auto& pool = from.trends.emplace_back();
  std::vector<std::pair<std::string, double>> has;
  for (int i = 0; i < 100; ++i) has.emplace_back("q" + std::to_string(i), 0.01);
  pool.spans.push_back(std::make_shared<native::round_span>(span_at(1, has)));
  v1::ListRoundsRequest asked;
  asked.set_queues(4'000'000'000U);
  EXPECT_THAT(round_list(from, asked).pools(0).queues(), SizeIs(50));
}

}  // namespace
}  // namespace argosy::rounds
