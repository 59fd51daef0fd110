// SPDX-License-Identifier: Apache-2.0
// Goal: whatever a round decides, each queued job of its pool is leased, or does without its gang,
// or has a reason, and what the plan tells grows with what jobs ask for. Method: random worlds with
// gangs, cordons, pools and limits under every preset, counted queue by queue; small worlds for
// what a reason says.
#include <map>
#include <set>
#include <tuple>

#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/tables.hpp"
#include "tests/unit/round_properties/property_fixture.hpp"

namespace argosy::scheduling {
namespace {

/// A world with the limits that hold in it.
struct limited_world {
  std::string text;
  std::map<std::string, std::uint64_t> queued;  ///< The queued jobs of pool default, by queue.
  std::function<void(config&)> adjust;
};

void make_gangs(test_world& world, world_maker& maker) {
  for (std::size_t i = 0; i < world.jobs.size(); ++i) {
    if (maker.below(4) != 0) continue;
    const auto size = 2 + maker.below(3);
    const auto declared = static_cast<int>(maker.below(6) == 0 ? size + 1 : size);
    const auto first = i;
    for (; i < world.jobs.size() && i < first + size; ++i) {
      auto& j = world.jobs[i];
      j.queue = world.jobs[first].queue;
      j.gang = "g" + std::to_string(first);
      j.cardinality = declared;
    }
  }
}

limited_world make_limited(world_maker& maker) {
  auto world = maker.make();
  make_gangs(world, maker);
  limited_world out;
  std::set<std::string> elsewhere;
  for (const auto& j : world.jobs) {
    if (!j.node.empty()) continue;
    if (j.gang == "-" && maker.below(8) == 0)
      elsewhere.insert(j.id);
    else
      ++out.queued[j.queue];
  }
  std::istringstream rows(world.text());
  for (std::string row; std::getline(rows, row);) {
    out.text += row;
    if (row[0] == 'Q' && maker.below(4) == 0) out.text += " cordoned";
    if (row[0] == 'J' && elsewhere.contains(row.substr(2, row.find(' ', 2) - 2)))
      out.text += " - other";
    out.text += "\n";
  }
  const auto some = [&] { return 1 + maker.below(6); };
  if (maker.below(4) == 0) out.text += "C maximumSchedulingBurst " + std::to_string(some()) + "\n";
  if (maker.below(4) == 0)
    out.text += "C fairsharePreemptionBurst " + std::to_string(some()) + "\n";
  const auto lookback = maker.below(4) == 0 ? some() : 0;
  const auto queue_burst = maker.below(4) == 0 ? some() : 0;
  const auto decisions = maker.below(6) == 0 ? some() : 0;
  const auto queue_decisions = maker.below(6) == 0 ? some() : 0;
  const auto cap = maker.below(4) == 0 ? some() : 0;
  const auto label = maker.below(6) == 0;
  out.adjust = [=](config& conf) {
    conf.max_lookback = lookback;
    if (queue_burst != 0) conf.queue_burst = static_cast<double>(queue_burst);
    conf.max_new_decisions = decisions;
    conf.max_new_decisions_queue = queue_decisions;
    if (cap != 0) conf.max_fraction_to_schedule = {{"cpu", 0.1 * static_cast<double>(cap)}};
    if (label) conf.default_uniformity_label = "zone";
  };
  return out;
}

std::map<std::string, std::uint64_t> accounted(const snapshot& from, const plan& what) {
  std::map<std::string, std::uint64_t> counts;
  std::set<ulid> started;
  for (const auto& lease : what.leases) {
    EXPECT_TRUE(started.insert(lease.job).second) << to_string(lease.job) << " starts twice";
    ++counts[std::string(from.job_queue(lease.job_index))];
  }
  std::set<std::tuple<std::string_view, shape_id, std::uint32_t, reason>> kinds;
  for (const auto& refused : what.refusals) {
    const auto& job = from.data().jobs[refused.job_index];
    const auto queue = from.job_queue(refused.job_index);
    EXPECT_NE(refused.code, reason::placed);
    EXPECT_FALSE(started.contains(job.id)) << to_string(job.id) << " starts and is refused";
    EXPECT_TRUE(kinds.emplace(queue, job.shape, job.gang_terms, refused.code).second)
        << to_string(job.id) << " is told apart from others like it";
    counts[std::string(queue)] += refused.jobs;
  }
  for (const auto& skip : what.skips) counts[std::string(from.queue_name(skip.queue))] += skip.jobs;
  return counts;
}

class every_queued_job : public ::testing::TestWithParam<preset> {};

TEST_P(every_queued_job, has_one_outcome) {
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    world_maker maker(seed);
    const auto made = make_limited(maker);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + made.text);
    auto conf = bench_config(GetParam());
    made.adjust(conf);
    const auto world = read_snap1(made.text, conf);
    ASSERT_TRUE(world) << world.error().detail;
    const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
    if (!what.error.empty()) continue;  // Under `current` two queues may have gangs of one id.
    auto counts = accounted(world->jobs_and_nodes, what);
    std::uint64_t told = 0;
    std::uint64_t queued = 0;
    for (const auto& [queue, jobs] : counts) told += jobs;
    for (const auto& [queue, jobs] : made.queued) {
      queued += jobs;
      EXPECT_LE(counts[queue], jobs) << queue;
    }
    EXPECT_EQ(told + what.failed.size(), queued);
    // Nobody may have been told of a job that the round starts that it can never run.
    const pool_capacity pool(world->jobs_and_nodes, world->conf, world->params.pool);
    for (const auto& lease : what.leases) EXPECT_FALSE(pool.why_never(lease.job));
  }
}

INSTANTIATE_TEST_SUITE_P(presets, every_queued_job, ::testing::ValuesIn(every_preset),
                         [](const auto& param) { return std::string(to_string(param.param)); });

std::string job(const std::string& id, const std::string& queue, const std::string& rest = "") {
  return "J " + id + " " + queue + " std 0 1 1000 1 0 - - - - 1 -" + rest + "\n";
}

/// A member of gang g in queue a, which has two members.
std::string member(const std::string& id, int cpu = 1000) {
  return "J " + id + " a std 0 1 " + std::to_string(cpu) + " 1 0 - - - g 2 -\n";
}

const std::string node = "N 0 n e 8000 1000 0 - -\n";

using told = std::map<reason, std::uint64_t>;

/// The jobs by the reason that they or their queue have.
told reasons(const plan& what) {
  return unplaced_jobs(what);
}

class reason_of : public ::testing::TestWithParam<preset> {};

TEST_P(reason_of, a_cordoned_queue_is_given_to_all_of_its_jobs) {
  for (const std::uint64_t count : {1, 2, 3, 5}) {
    auto text = node + "Q a 1 cordoned\n";
    for (std::uint64_t i = 0; i < count; ++i) text += job("j" + std::to_string(i), "a");
    EXPECT_EQ(reasons(decide(text, GetParam()).what), (told{{reason::queue_cordoned, count}}));
  }
}

TEST_P(reason_of, a_queue_that_ended_is_given_to_the_rest_of_it) {
  const auto text =
      node + "Q a 1\n" + job("j1", "a") + job("j2", "a") + job("j3", "a") + job("j4", "a");
  const auto what = decide(text, GetParam(), [](config& conf) { conf.queue_burst = 1; }).what;
  EXPECT_EQ(what.leases.size(), 1u);
  EXPECT_EQ(reasons(what), (told{{reason::queue_rate_limit, 3}}));
}

TEST_P(reason_of, the_end_of_the_round_is_given_to_all_queues) {
  const auto text = node + "C maximumSchedulingBurst 1\nQ a 1\nQ b 1\nQ c 1\n" + job("a1", "a") +
                    job("b1", "b") + job("c1", "c") + job("c2", "c");
  const auto what = decide(text, GetParam()).what;
  EXPECT_EQ(what.leases.size(), 1u);
  EXPECT_EQ(reasons(what), (told{{reason::global_rate_limit, 3}}));
}

TEST_P(reason_of, an_end_is_told_to_one_job_and_counted_for_the_others) {
  std::string text = node + "Q a 1 cordoned\nQ b 1\n";
  for (int i = 0; i < 40; ++i) text += job("a" + std::to_string(i), "a");
  for (int i = 0; i < 40; ++i) text += job("b" + std::to_string(i), "b");
  const auto what = decide(text, GetParam(), [](config& conf) { conf.max_new_decisions = 3; }).what;
  EXPECT_EQ(what.leases.size(), 3u);
  EXPECT_LE(what.refusals.size(), 2u);
  const auto told_of = reasons(what);
  ASSERT_TRUE(told_of.contains(reason::queue_cordoned));
  EXPECT_EQ(told_of.at(reason::queue_cordoned), 40u);
}

TEST_P(reason_of, a_queue_is_not_counted_for_jobs_of_other_pools) {
  const auto text = node + "Q a 1 cordoned\n" + job("j1", "a") + job("j2", "a", " - other") +
                    job("j3", "a") + job("j4", "a", " - other") + job("j5", "a", " - other");
  EXPECT_EQ(reasons(decide(text, GetParam()).what), (told{{reason::queue_cordoned, 2}}));
}

TEST_P(reason_of, a_queue_that_ended_is_given_to_members_whose_mates_stand_behind_the_end) {
  const auto text =
      node + "Q a 1 cordoned\n" + member("j1") + job("j2", "a") + job("j3", "a") + member("j4");
  EXPECT_EQ(reasons(decide(text, GetParam()).what), (told{{reason::queue_cordoned, 4}}));
}

TEST_P(reason_of, the_look_back_is_given_to_members_whose_mates_stand_behind_it) {
  const auto text =
      node + "Q a 1\n" + member("j1") + job("j2", "a") + job("j3", "a") + member("j4");
  // Where heads are not asked, a member counts before its mates have come.
  const auto limit = default_config(GetParam()).feasible_heads ? 2u : 3u;
  const auto what = decide(text, GetParam(), [&](config& conf) { conf.max_lookback = limit; }).what;
  EXPECT_EQ(what.leases.size(), 2u);
  EXPECT_EQ(reasons(what), (told{{reason::lookback_limit, 2}}));
}

TEST_P(reason_of, missing_members_is_given_whatever_else_ended) {
  const auto text = node + "Q a 1 cordoned\n" + member("j1") + job("j2", "a") + job("j3", "a");
  EXPECT_EQ(reasons(decide(text, GetParam()).what),
            (told{{reason::gang_incomplete, 1}, {reason::queue_cordoned, 2}}));
}

INSTANTIATE_TEST_SUITE_P(presets, reason_of, ::testing::ValuesIn(every_preset),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST(reason_of_a_gang, that_must_be_in_one_cluster) {
  const auto text = "N 0 n0 e0 4000 1000 0 - -\nN 1 n1 e1 4000 1000 0 - -\nQ a 1\n" +
                    member("j1", 4000) + member("j2", 4000);
  for (const auto name : {preset::classic, preset::lottery})
    EXPECT_EQ(reasons(decide(text, name).what), (told{{reason::no_single_cluster, 2}}));
}

TEST(reason_of_a_gang, of_which_a_member_is_known_to_fit_nowhere) {
  const std::string text =
      node + "Q a 1\nJ s a std 0 1 9000 1 0 - - - - 1 -\nJ g1 a std 0 2 9000 1 0 - - - g 2 -\n" +
      "J g2 a std 0 2 1000 1 0 - - - g 2 -\nJ h1 a std 0 2 1000 1 0 - - - h 2 -\n";
  for (const auto name : {preset::current, preset::unified})
    EXPECT_EQ(reasons(decide(text, name).what), (told{{reason::job_does_not_fit, 2},
                                                      {reason::gang_does_not_fit, 1},
                                                      {reason::gang_incomplete, 1}}))
        << to_string(name);
  EXPECT_EQ(reasons(decide(text, preset::argosy).what), (told{{reason::job_does_not_fit, 1},
                                                              {reason::gang_does_not_fit, 2},
                                                              {reason::gang_incomplete, 1}}));
}

TEST(reason_of_a_new_job, that_lost_its_place_in_the_same_round) {
  // b's job starts on n, then the urgent one of c takes the room.
  const std::string text = "N 0 n e 1000 1000 0 - -\nQ b 1\nQ c 9\n" + job("j", "b") +
                           "J low c low 0 0 1000 1 0 - - - - 1 -\nR low 0 1 500\n"
                           "J u c urgent 0 1 1000 1 0 - - - - 1 -\n";
  const auto what = decide(text, preset::argosy).what;
  ASSERT_EQ(what.leases.size(), 1u);
  EXPECT_EQ(reasons(what), (told{{reason::job_does_not_fit, 1}}));
}

}  // namespace
}  // namespace argosy::scheduling
