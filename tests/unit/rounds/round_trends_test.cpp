// SPDX-License-Identifier: Apache-2.0
// Goal: what rounds did in the last hours is remembered in a bounded amount of room, and no figure
// of it is lost. Method: plans written down by hand, at times of the test.
#include "messages/rounds/round_trends.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace argosy::rounds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t second = 1'000'000'000;

scheduling::plan plan_of(std::size_t started, const std::vector<std::string>& queues = {"q"}) {
  scheduling::plan out;
  out.leases.resize(started);
  out.refusals = {{0, scheduling::reason::job_does_not_fit},
                  {1, scheduling::reason::queue_rate_limit}};
  out.skips = {{0, scheduling::none, scheduling::reason::job_does_not_fit, 5}};
  out.preemptions.resize(1);
  out.rescheduled = 2;
  for (const auto& name : queues) {
    auto& queue = out.queues.emplace_back();
    queue.name = name;
    queue.fair_share = 0.5;
    queue.cost_after = 0.25;
    queue.demand_share = 4;
  }
  return out;
}

std::vector<native::round_span_ptr> spans_of(const round_trends& from) {
  const auto all = from.all();
  return all.empty() ? std::vector<native::round_span_ptr>{} : all.front().spans;
}

TEST(round_trends, join_rounds_that_are_near_in_time) {
  round_trends trends;
  trends.decided("a", plan_of(3), 100 * second, 5);
  trends.decided("a", plan_of(4), 109 * second, 9);
  trends.decided("a", plan_of(1), 110 * second, 2);
  const auto spans = spans_of(trends);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(spans[0]->from_ns, 100 * second);
  EXPECT_EQ(spans[0]->to_ns, 109 * second);
  EXPECT_EQ(spans[0]->rounds, 2U);
  EXPECT_EQ(spans[0]->duration_ns, 14);
  EXPECT_EQ(spans[0]->longest_ns, 9);
  EXPECT_EQ(spans[0]->started, 7U);
  EXPECT_EQ(spans[0]->tried, 11U);
  EXPECT_EQ(spans[0]->preempted, 2U);
  EXPECT_EQ(spans[0]->returned, 4U);
  EXPECT_EQ(spans[1]->rounds, 1U);
}

TEST(round_trends, say_what_kept_jobs_back_and_which_shares_there_were) {
  round_trends trends;
  trends.decided("a", plan_of(0, {"p", "q"}), second, 1);
  const auto spans = spans_of(trends);
  ASSERT_THAT(spans, SizeIs(1));
  ASSERT_THAT(spans[0]->kept, SizeIs(2));
  EXPECT_EQ(spans[0]->kept[0].code, "JOB_DOES_NOT_FIT");
  EXPECT_EQ(spans[0]->kept[0].jobs, 6U);
  ASSERT_THAT(spans[0]->queues, SizeIs(2));
  EXPECT_EQ(*spans[0]->queues[1].queue, "q");
  EXPECT_EQ(spans[0]->queues[1].share.actual, 0.25);
  EXPECT_EQ(spans[0]->queues[1].share.fair, 0.5);
  EXPECT_EQ(spans[0]->queues[1].share.demand, 4);
}

TEST(round_trends, take_bounded_room_and_lose_no_round_within_three_days) {
  round_trends trends;
  constexpr int rounds = 3 * 24 * 180 - 60;  // One in 20 s.
  for (int i = 0; i < rounds; ++i) trends.decided("a", plan_of(2), i * 20 * second, 3);
  const auto spans = spans_of(trends);
  EXPECT_LE(spans.size(), 1'000U);
  const auto sum = [&](auto figure) {
    return std::accumulate(spans.begin(), spans.end(), std::uint64_t{0},
                           [&](auto total, const auto& span) { return total + (*span).*figure; });
  };
  EXPECT_EQ(sum(&native::round_span::rounds), std::uint64_t{rounds});
  EXPECT_EQ(sum(&native::round_span::started), 2 * std::uint64_t{rounds});
  EXPECT_EQ(spans.front()->from_ns, 0);
  EXPECT_EQ(spans.back()->to_ns, (rounds - 1) * 20 * second);
  for (std::size_t i = 1; i < spans.size(); ++i)
    EXPECT_GT(spans[i]->from_ns, spans[i - 1]->to_ns) << "they follow each other";
  const auto lasts = [](const auto& span) { return span->to_ns - span->from_ns; };
  EXPECT_EQ(lasts(spans.back()), 0) << "what is new is told most exactly";
  EXPECT_LT(lasts(spans.front()), 600 * second);
  EXPECT_GE(lasts(spans.front()), 500 * second);
}

TEST(round_trends, forget_what_is_older_than_three_days) {
  round_trends trends;
  trends.decided("a", plan_of(1), 0, 3);
  constexpr auto four_days = 4 * 24 * 3'600 * second;
  for (int i = 0; i < 40; ++i) trends.decided("a", plan_of(1), four_days + i * 20 * second, 3);
  EXPECT_GE(spans_of(trends).front()->from_ns, four_days);
}

TEST(round_trends, keep_the_shares_of_those_that_have_most) {
  round_trends trends{{.queues_max = 2}};
  auto plan = plan_of(0, {"a", "b", "c"});
  plan.queues[0].cost_after = 0.1;
  plan.queues.emplace_back(plan.queues[2]).name = "d-away";
  plan.queues.back().guests = true;
  trends.decided("a", plan, second, 1);
  std::vector<std::string> names;
  for (const auto& one : spans_of(trends).front()->queues) names.push_back(*one.queue);
  EXPECT_THAT(names, ElementsAre("b", "c"));
}

TEST(round_trends, begin_a_span_when_the_clock_was_set_back) {
  round_trends trends;
  trends.decided("a", plan_of(1), 100 * second, 1);
  trends.decided("a", plan_of(1), 95 * second, 1);
  EXPECT_THAT(spans_of(trends), SizeIs(2));
}

TEST(round_trends, forget_pools_that_are_gone) {
  round_trends trends;
  trends.decided("a", plan_of(1), second, 1);
  trends.decided("b", plan_of(1), second, 1);
  trends.keep_only({"b"});
  ASSERT_THAT(trends.all(), SizeIs(1));
  EXPECT_EQ(trends.all().front().pool, "b");
  trends.keep_only({});
  EXPECT_THAT(trends.all(), IsEmpty());
}

}  // namespace
}  // namespace argosy::rounds
