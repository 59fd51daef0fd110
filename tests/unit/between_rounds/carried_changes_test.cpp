// SPDX-License-Identifier: Apache-2.0
// Goal: a leader that takes over goes on with exactly what its predecessor's rounds handed on.
// Method: rounds of random worlds at random times; after each, what was logged so far is given to a
// new object, and both open the next round.
#include <gmock/gmock.h>

#include <map>
#include <tuple>

#include "runtime/base/random.hpp"
#include "tests/unit/between_rounds/carry_over_fixture.hpp"

namespace argosy::scheduling {
namespace {

/// Keeps the last entry of each key, as the view does.
class kept_entries {
 public:
  void add(const std::vector<model::carried_entry>& changes) {
    for (const auto& entry : changes) {
      const auto name = entry.job.is_nil() ? entry.name : std::string{};
      const std::tuple key{entry.what, entry.pool, name, entry.job, entry.resource};
      if (entry.gone)
        entries_.erase(key);
      else
        entries_.insert_or_assign(key, entry);
    }
  }
  [[nodiscard]] carry_over restored() const {
    carry_over out;
    for (const auto& [key, entry] : entries_) out.restore(entry);
    return out;
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::map<std::tuple<model::carried_entry::kind, std::string, std::string, ulid, std::string>,
           model::carried_entry>
      entries_;
};

/// Returns what a round at this time would be given. It works on a copy, which leaves the object
/// itself as it is.
round_params opened(carry_over carried, const config& conf, std::int64_t now) {
  round_params params;
  params.pool = "default";
  params.round_time_ns = now;
  carried.open(conf, params);
  return params;
}

void expect_equal(const round_params& a, const round_params& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.preemption_tokens, b.preemption_tokens);
  EXPECT_EQ(a.queue_tokens, b.queue_tokens);
  EXPECT_EQ(a.resource_tokens, b.resource_tokens);
  EXPECT_EQ(a.queue_resource_tokens, b.queue_resource_tokens);
  EXPECT_EQ(a.penalties, b.penalties);
  EXPECT_EQ(a.usage_priority, b.usage_priority);
}

class carried_changes : public ::testing::TestWithParam<std::tuple<usage_form, int>> {};

TEST_P(carried_changes, make_a_new_leader_go_on_as_the_old_one) {
  const auto [form, seed] = GetParam();
  seeded_random source{static_cast<std::uint64_t>(seed)};
  const auto below = [&](std::uint64_t end) { return source.next() % end; };
  stage s;
  s.params.pool = "default";
  s.conf.rate = 0.7;
  s.conf.burst = 6;
  s.conf.queue_rate = 0.3;
  s.conf.queue_burst = 3;
  s.conf.resource_rate = {{"cpu", 0.8}};
  s.conf.resource_burst = {{"cpu", 5.5}};
  s.conf.queue_resource_rate = {{"cpu", 0.4}};
  s.conf.queue_resource_burst = {{"cpu", 2.5}};
  s.conf.preemption_rate = 0.1;
  s.conf.preemption_burst = 2;
  s.conf.usage_priority = true;
  s.conf.usage_decay = form;
  s.conf.usage_half_time_ns = 7 * second;
  s.conf.short_job_cutoff_ns = 20 * second;
  s.conf.protected_fraction = 0;
  kept_entries kept;
  std::vector<ulid> jobs;
  std::int64_t now = 1'000 * second;
  for (int round = 0; round < 40; ++round) {
    now += static_cast<std::int64_t>(below(9'000)) * 1'000'000 + 1;
    for (auto more = below(5); more > 0 && jobs.size() < 200; --more)
      jobs.push_back(s.add(below(3) == 0 ? "a" : "b"));
    s.carried.slow(s.conf, {{"a", 0.1 * static_cast<double>(below(4))}}, now);
    s.at(now);
    for (auto i = jobs.size(); i-- > 0;) {
      if (below(4) != 0) continue;
      s.world.settle();
      s.carried.leaves(s.world, s.conf, jobs[i], now + 1);
      s.world.remove_job(jobs[i]);
      jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    // A log that takes few entries at a time has them all after some records.
    const auto few = s.carried.take_changes(1);
    kept.add(few);
    for (auto more = s.carried.take_changes(2); !more.empty(); more = s.carried.take_changes(2))
      kept.add(more);
    const auto later = now + static_cast<std::int64_t>(below(30'000)) * 1'000'000;
    expect_equal(opened(s.carried, s.conf, later), opened(kept.restored(), s.conf, later));
    EXPECT_EQ(s.carried.first_penalty_end("default"), kept.restored().first_penalty_end("default"));
  }
  EXPECT_GT(kept.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(forms, carried_changes,
                         ::testing::Combine(::testing::Values(usage_form::condor,
                                                              usage_form::literal),
                                            ::testing::Range(1, 11)));

TEST(failing_queue, gets_its_tokens_more_slowly_also_from_a_new_leader) {
  stage s;
  s.params.pool = "default";
  s.params.round_time_ns = 0;
  s.conf.queue_rate = 2;
  s.conf.queue_burst = 100;
  s.carried.slow(s.conf, {{"a", 0.25}}, 0);
  s.carried.open(s.conf, s.params);
  plan took;
  took.queues.emplace_back();
  took.queues[0].name = "a";
  took.queues[0].tokens_used = 90;
  s.carried.close(s.conf, s.params, took);
  const auto tokens = [&](const carry_over& carried, std::int64_t now) {
    return opened(carried, s.conf, now).queue_tokens.at(0).second;
  };
  EXPECT_DOUBLE_EQ(tokens(s.carried, 10 * second), 10 + 1.5 * 10);
  s.carried.slow(s.conf, {}, 10 * second);
  EXPECT_DOUBLE_EQ(tokens(s.carried, 20 * second), 25 + 2.0 * 10) << "what came stays";
  s.carried.slow(s.conf, {{"a", 0.5}}, 20 * second);
  kept_entries kept;
  kept.add(s.carried.take_changes());
  EXPECT_DOUBLE_EQ(tokens(s.carried, 30 * second), 45 + 1.0 * 10);
  EXPECT_EQ(tokens(kept.restored(), 30 * second), tokens(s.carried, 30 * second));
}

TEST(carried_change, is_not_made_by_time_alone) {
  stage s;
  s.conf.rate = s.conf.queue_rate = 1;
  s.conf.burst = s.conf.queue_burst = 4;
  s.conf.usage_priority = true;
  s.add("a");
  s.at(100 * second);
  EXPECT_THAT(s.carried.take_changes(), ::testing::SizeIs(3));
  s.at(101 * second);
  s.at(102 * second);
  EXPECT_THAT(s.carried.take_changes(), ::testing::SizeIs(1)) << "the bucket of the queue is full";
  s.at(103 * second);
  EXPECT_THAT(s.carried.take_changes(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace argosy::scheduling
