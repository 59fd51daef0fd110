// SPDX-License-Identifier: Apache-2.0
// Goal: a job or gang that cannot run delays nobody. Method: ten nodes of one core, of which one
// queue holds nearly all, and a poor queue whose first job or gang is too large.
#include <algorithm>

#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling::heads {
namespace {

constexpr int nodes = 10;

/// Each of the first `count` nodes runs a job of the queue, the later ones began later.
std::string running(const std::string& queue, int first, int count, const std::string& cls) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    const auto id = queue + std::to_string(i);
    const auto at = std::to_string(i);
    text += worlds::job({.id = id, .queue = queue, .priority_class = cls});
    text += worlds::record({"R", id, at, at, "1000"});
  }
  return text;
}

std::string waiting(const std::string& queue, int count, const std::string& cls) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += worlds::job({.id = queue + "w" + std::to_string(i),
                         .queue = queue,
                         .priority_class = cls,
                         .submitted = 9});
  return text;
}

std::string gang(int members, const std::string& cls, const std::string& selector = "-") {
  std::string text;
  for (int i = 0; i < members; ++i)
    text += worlds::job({.id = "g" + std::to_string(i),
                         .queue = "poor",
                         .priority_class = cls,
                         .selector = selector,
                         .gang = "G",
                         .cardinality = members});
  return text;
}

std::string ten_nodes() {
  std::string text;
  for (int i = 0; i < nodes; ++i) text += worlds::node({.number = i, .cpu = 1000});
  return text + worlds::queue("a") + worlds::queue("poor");
}

const std::string job_too_large = worlds::job({.id = "big", .queue = "poor", .cpu = 64000});

decided at_the_share(const std::string& text, preset name) {
  return decide(text, name, [](config& conf) { conf.protected_fraction = 1; });
}

/// Returns how many rows begin with these words.
auto count_of(const lines& rows, const std::string& words) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const std::string& row) { return row.starts_with(words); });
}

class heads : public ::testing::TestWithParam<preset> {};

TEST_P(heads, that_can_never_run_cost_their_queue_nothing) {
  // Queue a runs on all nodes and may be preempted.
  const auto world = ten_nodes() + running("a", 0, nodes, "std") + waiting("a", 3, "std") +
                     waiting("poor", 10, "std");
  const auto without = at_the_share(world, GetParam()).rows;
  ASSERT_EQ(without.size(), 10u);  // Five start for five that are preempted.
  EXPECT_EQ(at_the_share(world + job_too_large, GetParam()).rows, without);
  EXPECT_EQ(at_the_share(world + gang(11, "std"), GetParam()).rows, without);
  EXPECT_EQ(at_the_share(world + gang(9, "std", "zone=none"), GetParam()).rows, without);
}

TEST_P(heads, that_can_never_run_leave_a_free_node_to_their_queue) {
  const auto world = ten_nodes() + running("a", 0, 9, "std-np") + waiting("a", 3, "std-np") +
                     waiting("poor", 1, "std-np");
  const lines poor = {"S poorw0 n9 1000"};
  EXPECT_EQ(at_the_share(world + gang(1000, "std-np"), GetParam()).rows, poor);
  EXPECT_EQ(at_the_share(world + job_too_large, GetParam()).rows, poor);
}

TEST_P(heads, that_are_too_large_for_now_leave_a_free_node_to_their_queue) {
  const auto world = ten_nodes() + worlds::queue("b") + running("a", 0, 5, "std-np") +
                     running("b", 5, 4, "std-np") + waiting("a", 3, "std-np") +
                     waiting("b", 3, "std-np") + gang(6, "std-np") + waiting("poor", 1, "std-np");
  EXPECT_EQ(at_the_share(world, GetParam()).rows, (lines{"S poorw0 n9 1000"}));
}

TEST_P(heads, that_cannot_run_are_no_decisions) {
  std::string text = worlds::key("maxNewDecisions", "5") + worlds::node({.cpu = 10000}) +
                     worlds::queue("a") + worlds::queue("b") +
                     worlds::job({.id = "b0", .queue = "b"});
  for (int i = 0; i < 6; ++i)
    text += worlds::job({.id = "a" + std::to_string(i), .queue = "a", .selector = "zone=none"});
  EXPECT_EQ(decide(text, GetParam()).rows, (lines{"S b0 n0 1000"}));
}

TEST_P(heads, that_cannot_run_are_not_looked_at) {
  std::string text = worlds::key("maxQueueLookback", "5") + worlds::node({.cpu = 10000}) +
                     worlds::queue("q") + worlds::job({.id = "z", .submitted = 99});
  for (int i = 0; i < 6; ++i) text += worlds::job({.id = "a" + std::to_string(i), .cpu = 64000});
  EXPECT_EQ(decide(text, GetParam()).rows, (lines{"S z n0 1000"}));
}

TEST_P(heads, keep_their_turn_where_the_key_says_so) {
  const auto world = ten_nodes() + running("a", 0, 9, "std-np") + waiting("a", 1, "std-np") +
                     waiting("poor", 1, "std-np") + job_too_large;
  const auto off = worlds::key("headFeasibility", "off") + worlds::key("rankAtShare", "false");
  EXPECT_EQ(at_the_share(off + world, GetParam()).rows, (lines{"S aw0 n9 1000"}));
}

TEST_P(heads, have_one_outcome_each) {
  const auto world = ten_nodes() + job_too_large +
                     worlds::job({.id = "big2", .queue = "poor", .cpu = 64000}) +
                     gang(3, "std", "zone=none");
  const auto what = at_the_share(world, GetParam()).what;
  ASSERT_EQ(what.refusals.size(), 2u) << "a single job, and a gang";
  EXPECT_EQ(refused_jobs(what), 4u);
  ASSERT_EQ(what.skips.size(), 1u);
  EXPECT_EQ(what.skips[0].jobs, 1u);
}

TEST_P(heads, whose_places_are_taken_delay_nobody) {
  // The gang of poor takes half of the pool, and with it goes the one of a. With it a would have
  // all ten nodes, without it aw0 is the fifth of its five.
  auto world = ten_nodes() + running("a", 0, 4, "std");
  for (const auto* id : {"r4", "r5", "r6", "r7", "r8", "r9"})
    world += worlds::job({.id = id, .queue = "a", .gang = "A", .cardinality = 6}) +
             worlds::record({"R", id, id + 1, "10", "1000"});
  world += waiting("a", 1, "std") + gang(5, "std") + waiting("poor", 1, "std");
  const auto rows = at_the_share(world, GetParam()).rows;
  EXPECT_EQ(count_of(rows, "S aw0"), 1);
  EXPECT_EQ(count_of(rows, "S poor"), 0);
}

TEST_P(heads, that_run_stay_where_nobody_has_less) {
  // Three cores for two queues: whoever has the second core keeps it, whatever its name.
  for (const auto* other : {"a", "z"}) {
    auto world = worlds::node({.cpu = 3000}) + worlds::queue("m") + worlds::queue(other);
    for (const auto* id : {"m0", "m1", "m2"})
      world += worlds::job({.id = id, .queue = "m"}) + worlds::run({.job = id});
    world += waiting(other, 3, "std");
    const auto rows = at_the_share(world, GetParam()).rows;
    EXPECT_EQ(count_of(rows, "P "), 1) << other;
  }
}

TEST_P(heads, that_run_stay_whatever_the_factors_of_the_queues) {
  // The shares of m and z are q and p cores and a part of one; m has the core of both parts.
  for (int p = 1; p <= 20; ++p)
    for (int q = 1; q <= 20; ++q) {
      auto world =
          worlds::node({.cpu = 1000 * (p + q + 1)}) + worlds::queue("m", p) + worlds::queue("z", q);
      for (int i = 0; i <= q; ++i) {
        const auto id = "m" + std::to_string(i);
        world += worlds::job({.id = id, .queue = "m"}) + worlds::run({.job = id});
      }
      world += waiting("z", p + 1, "std");
      EXPECT_EQ(count_of(at_the_share(world, GetParam()).rows, "P "), 0) << p << " " << q;
    }
}

TEST_P(heads, of_a_cordoned_queue_cost_what_it_runs_no_place) {
  // What z has queued stands before what it runs. Were that to have its turn first, b would come
  // between them and take the licence.
  const std::string world = "C evictedFirst false\nC floatingResources licence=1\n" +
                            worlds::node({.cpu = 4000}) + "Q b 1\nQ z 1 cordoned\n" +
                            "J r z std 0 1 1000 1 0 - - - - 1 - licence=1\nR r 0 1 1000\n" +
                            "J w b std 0 1 1000 1 0 - - - - 1 - licence=1\n";
  const auto queued = worlds::job({.id = "q", .queue = "z", .submitted = 0, .cpu = 4000});
  const auto all_evicted = [](config& conf) { conf.protected_fraction = 0; };
  EXPECT_EQ(decide(world, GetParam(), all_evicted).rows, lines{});
  EXPECT_EQ(decide(world + queued, GetParam(), all_evicted).rows, lines{});
}

TEST_P(heads, of_a_cordoned_queue_wait_for_that_alone) {
  // So many jobs of another pool stand before the last one that they are passed over at once.
  auto world = ten_nodes() + worlds::queue("shut", 1, true) + job_too_large +
               worlds::job({.id = "last", .queue = "shut", .submitted = 9, .cpu = 64000});
  for (int i = 0; i < 100; ++i)
    world += worlds::job({.id = "s" + std::to_string(i), .queue = "shut", .pools = "elsewhere"});
  const auto what = at_the_share(world, GetParam()).what;
  ASSERT_EQ(what.refusals.size(), 1u);
  EXPECT_EQ(what.refusals[0].code, reason::job_does_not_fit);
  ASSERT_EQ(what.skips.size(), 1u);
  EXPECT_EQ(what.skips[0].code, reason::queue_cordoned);
  EXPECT_EQ(what.skips[0].jobs, 1u);
}

TEST_P(heads, that_cross_the_share_are_ranked_at_the_share) {
  // Both queues would cross their half of the pool: x with 6 of 10 cores, y with 5.5.
  const auto world =
      worlds::node({.cpu = 10000}) + worlds::queue("x") + worlds::queue("y") +
      worlds::job({.id = "r", .queue = "y", .priority_class = "std-np", .cpu = 4000}) +
      worlds::run({.job = "r"}) + worlds::job({.id = "x0", .queue = "x", .cpu = 6000}) +
      worlds::job({.id = "y0", .queue = "y", .cpu = 1500});
  EXPECT_EQ(at_the_share(world, GetParam()).rows, (lines{"S x0 n0 1000"}));
  EXPECT_EQ(at_the_share(worlds::key("rankAtShare", "false") + world, GetParam()).rows,
            (lines{"S y0 n0 1000"}));
}

TEST_P(heads, that_cross_the_share_come_after_those_that_end_there) {
  // Three fifths and two fifths of ten cores are whole cores, so that nobody has to cross.
  std::string text = worlds::node({.cpu = 10000}) + worlds::queue("x", 2) + worlds::queue("y", 3);
  for (const auto* queue : {"x", "y"}) text += waiting(queue, 10, "std");
  const auto rows = at_the_share(text, GetParam()).rows;
  EXPECT_EQ(count_of(rows, "S x"), 6);
}

INSTANTIATE_TEST_SUITE_P(presets, heads, ::testing::Values(preset::argosy, preset::classic),
                         [](const auto& info) { return std::string(to_string(info.param)); });

/// Jobs of two sizes that fit nowhere wait before one that fits; some are of another pool.
TEST(heads, that_are_refused_are_passed_over_together_and_counted_as_one_by_one) {
  auto text = worlds::node({.number = 0}) + worlds::queue("q");
  std::uint64_t here = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool fits = i == 900;
    const bool elsewhere = i % 3 == 0 && !fits;
    here += elsewhere ? 0 : 1;
    text += worlds::job({.id = "j" + std::to_string(1000 + i),
                         .submitted = i + 1,
                         .cpu = fits ? 1000 : 32000 + i % 2 * 32000,
                         .pools = elsewhere ? "other" : "default"});
  }
  const auto world = read_snap1(text, bench_config(preset::argosy)).value();
  const auto made = schedule(world.jobs_and_nodes, world.conf, world.params);
  ASSERT_EQ(made.leases.size(), 1U);
  EXPECT_EQ(world.job_name(made.leases[0].job), "j1900");
  ASSERT_EQ(made.refusals.size(), 2U) << "one of each size";
  EXPECT_EQ(world.job_name(world.jobs_and_nodes.job_id(made.refusals[0].job_index)), "j1001");
  EXPECT_EQ(world.job_name(world.jobs_and_nodes.job_id(made.refusals[1].job_index)), "j1002");
  std::uint64_t skipped = 0;
  for (const auto& skip : made.skips) {
    EXPECT_EQ(skip.code, reason::job_does_not_fit);
    skipped += skip.jobs;
  }
  EXPECT_EQ(made.skips.size(), 2U);
  EXPECT_EQ(skipped, here - 3);
}

}  // namespace
}  // namespace argosy::scheduling::heads
