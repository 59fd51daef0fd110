// SPDX-License-Identifier: Apache-2.0
// Goal: rounds hand on to later rounds what they should: token buckets refill at their rate up to
// their burst, short jobs go on counting. Method: rounds at chosen times.
#include "runtime/scheduling/between/carry_over.hpp"

#include "tests/unit/between_rounds/carry_over_fixture.hpp"

namespace argosy::scheduling {
namespace {

TEST(token_bucket, fills_at_its_rate_up_to_its_burst) {
  token_bucket bucket;
  EXPECT_DOUBLE_EQ(bucket.refill(2, 10, 5 * second), 10);
  bucket.take(10);
  EXPECT_DOUBLE_EQ(bucket.refill(2, 10, 5 * second), 0);
  EXPECT_DOUBLE_EQ(bucket.refill(2, 10, 6 * second), 2);
  EXPECT_DOUBLE_EQ(bucket.refill(2, 10, 6 * second + second / 4), 2.5);
  EXPECT_DOUBLE_EQ(bucket.refill(2, 10, 600 * second), 10);
}

TEST(token_bucket, remembers_a_debt) {
  token_bucket bucket;
  EXPECT_DOUBLE_EQ(bucket.refill(1, 2, 100 * second), 2);
  bucket.take(5);
  EXPECT_DOUBLE_EQ(bucket.refill(1, 2, 102 * second), -1);
  EXPECT_DOUBLE_EQ(bucket.refill(1, 2, 200 * second), 2);
}

TEST(token_bucket, fills_from_the_new_time_on_where_the_clock_was_set_back) {
  token_bucket bucket;
  EXPECT_DOUBLE_EQ(bucket.refill(1, 5, 10'000 * second), 5);
  bucket.take(5);
  EXPECT_DOUBLE_EQ(bucket.refill(1, 5, 6400 * second), 0);
  EXPECT_DOUBLE_EQ(bucket.refill(1, 5, 6401 * second), 1);
  EXPECT_DOUBLE_EQ(bucket.refill(1, 5, 6403 * second), 3);
}

TEST(token_bucket, a_lower_burst_takes_effect_at_once) {
  token_bucket bucket;
  EXPECT_DOUBLE_EQ(bucket.refill(1, 100, second), 100);
  EXPECT_DOUBLE_EQ(bucket.refill(1, 7, second), 7);
}

TEST(tokens, limit_what_all_queues_start) {
  stage s;
  s.conf.rate = 2;
  s.conf.burst = 3;
  for (int i = 0; i < 6; ++i) s.add(i % 2 == 0 ? "a" : "b");
  EXPECT_EQ(s.at(10 * second).leases.size(), 3u);  // These are the burst.
  const auto none_left = s.at(10 * second);
  EXPECT_TRUE(none_left.leases.empty());
  EXPECT_EQ(none_left.refusals.front().code, reason::global_rate_limit);
  EXPECT_TRUE(s.at(10 * second + second / 4).leases.empty());  // Half a token is there.
  EXPECT_EQ(s.at(10 * second + second / 2).leases.size(), 1u);
  EXPECT_EQ(s.at(20 * second).leases.size(), 2u);  // These are all that are left.
}

TEST(tokens, that_pools_share_are_taken_in_turns) {
  stage s;
  const std::vector<std::string> pools{"another", "default", "third"};
  s.add("a");
  s.at(10 * second);
  EXPECT_EQ(s.carried.in_turn(pools), pools) << "without a rate nobody takes what others lack";
  s.conf.rate = 2;
  s.conf.burst = 3;
  s.at(11 * second);
  EXPECT_EQ(s.carried.in_turn(pools), pools) << "nothing was started";
  s.add("a");
  s.at(12 * second);
  EXPECT_EQ(s.carried.in_turn(pools), (std::vector<std::string>{"third", "another", "default"}));
  EXPECT_EQ(s.carried.in_turn({"another"}), std::vector<std::string>{"another"});
  s.add("a");
  s.at(13 * second);
  plan late;
  late.tokens_used = 1;
  round_params params;
  params.pool = "third";
  s.carried.close(s.conf, params, late);
  EXPECT_EQ(s.carried.in_turn(pools), (std::vector<std::string>{"third", "another", "default"}))
      << "a token that came back during the cycle is no turn";
}

TEST(tokens, of_a_queue_limit_that_queue_alone) {
  stage s;
  s.conf.queue_rate = 1;
  s.conf.queue_burst = 2;
  for (int i = 0; i < 4; ++i) s.add("a");
  s.add("b");
  const auto first = s.at(second);
  EXPECT_EQ(first.leases.size(), 3u);
  EXPECT_EQ(first.queues[0].tokens_used, 2u);
  EXPECT_EQ(first.queues[1].tokens_used, 1u);
  for (int i = 0; i < 3; ++i) s.add("b");
  const auto second_round = s.at(second);  // b has one token left, a none.
  EXPECT_EQ(second_round.queues[0].leased, 0u);
  EXPECT_EQ(second_round.queues[1].leased, 1u);
  EXPECT_EQ(s.at(3 * second).leases.size(), 4u);
}

TEST(tokens, a_gang_waits_for_one_and_owes_the_rest) {
  stage s;
  s.conf.rate = 1;
  s.conf.burst = 3;
  for (int i = 0; i < 3; ++i) s.add("a");
  ASSERT_EQ(s.at(second).leases.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    job_row job;
    job.id = s.add("a");
    job.queue = "a";
    job.shape = *s.world.intern({"std", {{"cpu", 1000}}, {}, {}, {}});
    job.gang = gang_row{"g", 3, 0, ""};
    ASSERT_TRUE(s.world.upsert_job(job));
  }
  const auto waits = s.at(second);
  EXPECT_TRUE(waits.leases.empty());
  EXPECT_EQ(waits.refusals.front().code, reason::global_rate_limit);
  EXPECT_EQ(s.at(2 * second).leases.size(), 3u);
  // Two are owed, so that the next job comes when three have come.
  s.add("a");
  EXPECT_TRUE(s.at(4 * second).leases.empty());
  EXPECT_EQ(s.at(5 * second).leases.size(), 1u);
}

TEST(tokens, of_preemption_come_back_with_time) {
  stage s;
  s.conf.protected_fraction = 0;
  s.conf.preemption_rate = 1;
  s.conf.preemption_burst = 2;
  for (int i = 0; i < 100; ++i) s.add("a");
  ASSERT_EQ(s.at(second).leases.size(), 100u);
  for (int i = 0; i < 10; ++i) s.add("b");
  EXPECT_EQ(s.at(2 * second).preemptions.size(), 2u);
}

TEST(tokens, of_a_queue_come_once_where_rounds_of_pools_overlap) {
  config conf = bench_config(preset::argosy);
  conf.queue_rate = 1;
  conf.queue_burst = 10;
  carry_over carried;
  plan took;
  took.queues.emplace_back().name = "a";
  took.queues[0].tokens_used = 4;
  round_params early;
  early.pool = "left";
  early.round_time_ns = 100 * second;
  carried.open(conf, early);
  carried.close(conf, early, took);  // There are 6 tokens left.
  round_params late;
  late.pool = "right";
  late.round_time_ns = 102 * second;
  carried.open(conf, early);
  carried.open(conf, late);  // There are 8 tokens.
  carried.close(conf, early, took);
  late.round_time_ns = 103 * second;
  carried.open(conf, late);
  ASSERT_EQ(late.queue_tokens.size(), 1u);
  EXPECT_DOUBLE_EQ(late.queue_tokens[0].second, 5);
}

TEST(tokens, a_burst_without_a_rate_is_for_each_round) {
  stage s;
  s.conf.burst = 2;
  for (int i = 0; i < 5; ++i) s.add("a");
  EXPECT_EQ(s.at(second).leases.size(), 2u);
  EXPECT_EQ(s.at(second).leases.size(), 2u);
}

TEST(tokens, a_discarded_plan_takes_none) {
  stage s;
  s.conf.rate = 1;
  s.conf.burst = 1;
  s.add("a");
  s.world.settle();
  s.params.round_time_ns = second;
  s.carried.open(s.conf, s.params);
  plan failed;
  failed.error = "no";
  s.carried.close(s.conf, s.params, failed);
  EXPECT_EQ(s.at(second).leases.size(), 1u);
}

TEST(discarded_plan, changes_nothing_of_what_is_carried_over) {
  for (const bool by_check : {false, true}) {
    stage s;
    s.conf.rate = s.conf.queue_rate = s.conf.preemption_rate = 1;
    s.conf.burst = s.conf.queue_burst = s.conf.preemption_burst = 5;
    s.conf.usage_priority = true;
    s.conf.usage_half_time_ns = 10 * second;
    s.conf.short_job_cutoff_ns = 60 * second;
    const auto job = s.add("a");
    ASSERT_EQ(s.at(100 * second).leases.size(), 1u);  // This takes one of 5 tokens; it uses 1 cpu.
    s.carried.open(s.conf, s.params);
    plan discarded;
    (by_check ? discarded.violation : discarded.error) = "no";
    discarded.tokens_used = 3;
    discarded.preemption_tokens_used = 3;
    discarded.preemptions.emplace_back().job = job;
    auto& figures = discarded.queues.emplace_back();
    figures.name = "a";
    figures.tokens_used = 3;
    figures.resources_taken = {3};
    discarded.resources = {"cpu"};
    s.carried.close(s.conf, s.params, discarded);

    s.carried.open(s.conf, s.params);
    EXPECT_DOUBLE_EQ(s.params.tokens, 4);
    EXPECT_DOUBLE_EQ(s.params.preemption_tokens, 5);
    ASSERT_EQ(s.params.queue_tokens.size(), 1u);
    EXPECT_DOUBLE_EQ(s.params.queue_tokens[0].second, 4);
    s.params.round_time_ns = 110 * second;
    s.carried.open(s.conf, s.params);
    ASSERT_EQ(s.params.usage_priority.size(), 1u);
    // This is half of 0.5 and half of 1 cpu.
    EXPECT_NEAR(s.params.usage_priority[0].second, 0.75, 1e-9);
    s.world.settle();
    s.carried.leaves(s.world, s.conf, job, 110 * second);
    s.carried.open(s.conf, s.params);
    EXPECT_EQ(s.params.penalties.size(), 1u);  // Nobody preempted it.
  }
}

TEST(short_jobs, count_in_the_order_until_the_cutoff_is_over) {
  stage s;
  s.conf.short_job_cutoff_ns = 60 * second;
  const auto job = s.add("a");
  ASSERT_EQ(s.at(100 * second).leases.size(), 1u);
  s.world.settle();
  s.carried.leaves(s.world, s.conf, job, 110 * second);
  s.world.remove_job(job);
  s.at(111 * second);
  ASSERT_EQ(s.params.penalties.size(), 1u);
  EXPECT_EQ(s.params.penalties[0].first, "a");
  EXPECT_EQ(s.params.penalties[0].second, (resource_list{{"cpu", 1000}}));
  EXPECT_EQ(s.carried.first_penalty_end("default"), 160 * second);
  EXPECT_EQ(s.carried.first_penalty_end("elsewhere"), std::nullopt);
  s.at(160 * second);
  EXPECT_TRUE(s.params.penalties.empty());
  EXPECT_EQ(s.carried.first_penalty_end("default"), std::nullopt);
}

TEST(short_jobs, are_not_those_that_ran_long_were_preempted_or_never_ran) {
  stage s;
  s.conf.short_job_cutoff_ns = 60 * second;
  const auto late = s.add("a");
  const auto lost = s.add("a");
  ASSERT_EQ(s.at(100 * second).leases.size(), 2u);
  const auto queued = s.add("a");
  s.world.settle();
  s.carried.leaves(s.world, s.conf, late, 160 * second);
  plan pushed;
  pushed.preemptions.emplace_back().job = lost;
  s.carried.close(s.conf, s.params, pushed);
  s.carried.leaves(s.world, s.conf, lost, 110 * second);
  s.carried.leaves(s.world, s.conf, queued, 110 * second);
  s.carried.leaves(s.world, s.conf, ulid{}, 110 * second);
  for (const auto& job : {late, lost, queued}) s.world.remove_job(job);
  s.at(111 * second);
  EXPECT_TRUE(s.params.penalties.empty());
}

TEST(short_jobs, that_asked_for_nothing_count_for_nothing) {
  stage s;
  s.conf.short_job_cutoff_ns = 60 * second;
  job_row job;
  job.id.bytes[15] = 1;
  job.queue = "a";
  job.shape = *s.world.intern({"std", {}, {}, {}, {}});
  job.run = run_row{"n", 100 * second, 1000, "default"};
  ASSERT_TRUE(s.world.upsert_job(job));
  s.world.settle();
  s.carried.leaves(s.world, s.conf, job.id, 110 * second);
  s.world.remove_job(job.id);
  s.at(111 * second);
  EXPECT_TRUE(s.params.penalties.empty());
}

}  // namespace
}  // namespace argosy::scheduling
