// SPDX-License-Identifier: Apache-2.0
// Goal: any waiting job learns why the last round did not place it, also if it was never tried, and
// what is remembered for that grows with what jobs ask for. Method: worlds of SNAP1, decided; and
// random ones, in which every job is asked.
#include "messages/rounds/unplaced_kinds.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <set>

#include "tests/support/world_text.hpp"
#include "tests/unit/round_properties/property_fixture.hpp"

namespace argosy::rounds {
namespace {

using scheduling::preset;
using scheduling::reason;
namespace worlds = scheduling::worlds;

/// A decided world.
struct told {
  explicit told(const std::string& text, preset name = preset::argosy,
                const std::function<void(scheduling::config&)>& adjust = {},
                std::size_t most = unplaced_kinds::kinds_max) {
    auto conf = scheduling::bench_config(name);
    if (adjust) adjust(conf);
    auto read = scheduling::read_snap1(text, conf);
    EXPECT_TRUE(read) << (read ? "" : read.error().detail);
    if (!read) return;
    world.emplace(std::move(*read));
    plan = scheduling::schedule(from(), world->conf, world->params);
    kinds = unplaced_kinds{plan, from(), most};
  }
  [[nodiscard]] std::optional<reason> of(const std::string& name) const {
    for (std::uint32_t job = 0; job < from().data().jobs.size(); ++job)
      if (world->job_name(from().job_id(job)) == name) return kinds.find(from(), job);
    ADD_FAILURE() << "there is no job " << name;
    return {};
  }

  [[nodiscard]] const scheduling::snapshot& from() const { return world->jobs_and_nodes; }

  std::optional<scheduling::snap1_world> world;
  scheduling::plan plan;
  unplaced_kinds kinds;
};

std::string jobs(const std::string& prefix, int count, worlds::job_fields like) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    like.id = prefix + std::to_string(i);
    like.submitted = i + 1;
    text += worlds::job(like);
  }
  return text;
}

TEST(unplaced_kinds, tell_jobs_that_were_passed_over_together) {
  auto text = worlds::node({}) + worlds::queue("q") + jobs("large", 500, {.cpu = 32000}) +
              jobs("huge", 500, {.cpu = 64000});
  text += worlds::job({.id = "fits", .submitted = 900});
  const told all(text);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(all.of("large" + std::to_string(i)), reason::job_does_not_fit) << i;
    EXPECT_EQ(all.of("huge" + std::to_string(i)), reason::job_does_not_fit) << i;
  }
  EXPECT_EQ(all.of("fits"), std::nullopt) << "the round placed it";
  ASSERT_EQ(all.kinds.kinds().size(), 2U);
  for (const auto& [kind, causes] : all.kinds.kinds()) {
    ASSERT_EQ(causes.size(), 1U);
    EXPECT_EQ(causes[0].jobs, 500U);
    EXPECT_FALSE(causes[0].example.is_nil());
  }
}

TEST(unplaced_kinds, tell_jobs_of_a_limit_that_each_of_them_met) {
  // Half of the queue's limit is used by others, so that each job has its turn and is refused.
  const auto text = worlds::node({.cpu = 10000, .memory = 100000}) + worlds::queue("q") +
                    "L q std cpu 0.1\n" + jobs("j", 300, {});
  for (const auto name : scheduling::every_preset) {
    const told all(text, name);
    ASSERT_EQ(all.plan.leases.size(), 1U) << to_string(name);
    EXPECT_EQ(all.plan.refusals.size(), 1U) << to_string(name);
    EXPECT_EQ(scheduling::unplaced_jobs(all.plan),
              (std::map<reason, std::uint64_t>{{reason::queue_limit, 299}}));
    for (const auto* job : {"j1", "j7", "j299"}) EXPECT_EQ(all.of(job), reason::queue_limit);
  }
}

TEST(unplaced_kinds, tell_gangs_and_single_jobs_apart) {
  const auto member = [](const char* id, const char* gang) {
    return worlds::job({.id = id, .gang = gang, .cardinality = 2});
  };
  const auto text = worlds::node({.cpu = 1000}) + worlds::queue("q") + member("a1", "a") +
                    member("a2", "a") + member("b1", "b") +
                    worlds::job({.id = "single", .submitted = 2}) +
                    worlds::job({.id = "other", .submitted = 3});
  const told all(text);
  EXPECT_EQ(all.of("a1"), reason::gang_does_not_fit);
  EXPECT_EQ(all.of("a2"), reason::gang_does_not_fit);
  EXPECT_EQ(all.of("b1"), reason::gang_incomplete) << "though it declares the same as the others";
  EXPECT_EQ(all.of("single"), std::nullopt);
  EXPECT_EQ(all.of("other"), reason::job_does_not_fit);
}

TEST(unplaced_kinds, tell_the_rest_of_a_queue_why_it_ended) {
  const auto text = worlds::node({.cpu = 10000, .memory = 100000}) + worlds::queue("q") +
                    worlds::queue("shut", 1, true) + jobs("j", 5, {}) +
                    jobs("large", 5, {.cpu = 2000}) + jobs("s", 5, {.queue = "shut"});
  const told all(text, preset::argosy, [](auto& conf) { conf.queue_burst = 2; });
  EXPECT_EQ(all.plan.leases.size(), 2U);
  EXPECT_EQ(all.of("j4"), reason::queue_rate_limit);
  EXPECT_EQ(all.of("large4"), reason::queue_rate_limit);
  EXPECT_EQ(all.of("s3"), reason::queue_cordoned);
}

TEST(unplaced_kinds, are_kept_up_to_a_number_with_the_most_jobs_first) {
  auto text = worlds::node({}) + worlds::queue("q") + worlds::queue("r");
  for (int size = 1; size <= 40; ++size)
    text +=
        jobs("k" + std::to_string(size) + "-", size <= 20 ? 1 : 2, {.cpu = 32000 + size * 1000});
  text += jobs("r", 1, {.queue = "r", .cpu = 99000});
  for (const std::size_t most : {0, 1, 20, 25, 41, 100}) {
    const told all(text, preset::argosy, {}, most);
    EXPECT_EQ(all.kinds.kinds().size(), std::min<std::size_t>(most, 41)) << most;
    for (int size = 1; size <= 40; ++size)
      EXPECT_EQ(all.of("k" + std::to_string(size) + "-0"), reason::job_does_not_fit);
    EXPECT_EQ(all.of("r0"), reason::job_does_not_fit);
    if (most != 20) continue;
    for (const auto& [kind, causes] : all.kinds.kinds()) EXPECT_EQ(causes[0].jobs, 2U);
  }
}

class all_that_wait : public ::testing::TestWithParam<preset> {};

TEST_P(all_that_wait, are_told_a_reason_of_their_queue) {
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    scheduling::world_maker maker(seed);
    const auto burst = maker.below(3) == 0 ? 1 + maker.below(5) : 0;
    const auto decisions = maker.below(3) == 0 ? 1 + maker.below(5) : 0;
    const auto lookback = maker.below(3) == 0 ? 1 + maker.below(5) : 0;
    const told all(maker.make().text(), GetParam(), [&](auto& conf) {
      if (burst != 0) conf.queue_burst = static_cast<double>(burst);
      conf.max_new_decisions = decisions;
      conf.max_lookback = lookback;
    });
    SCOPED_TRACE(seed);
    const auto& t = all.from().data();
    std::set<std::pair<std::uint32_t, reason>> said;
    for (const auto& refused : all.plan.refusals)
      said.emplace(t.jobs[refused.job_index].queue, refused.code);
    for (const auto& skip : all.plan.skips) said.emplace(skip.queue, skip.code);
    std::set<std::uint32_t> placed;
    for (const auto& lease : all.plan.leases) placed.insert(lease.job_index);
    for (std::uint32_t job = 0; job < t.jobs.size() && all.plan.error.empty(); ++job) {
      if (!t.jobs[job].live() || t.jobs[job].has_run()) continue;
      const auto why = all.kinds.find(all.from(), job);
      EXPECT_EQ(why.has_value(), !placed.contains(job)) << job;
      if (!why || *why == reason::gang_does_not_fit) continue;
      EXPECT_TRUE(said.contains({t.jobs[job].queue, *why})) << job << ' ' << to_string(*why);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(presets, all_that_wait, ::testing::ValuesIn(scheduling::every_preset),
                         [](const auto& param) { return std::string(to_string(param.param)); });

}  // namespace
}  // namespace argosy::rounds
