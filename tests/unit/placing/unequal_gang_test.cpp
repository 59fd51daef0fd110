// SPDX-License-Identifier: Apache-2.0
// Goal: a gang of unequal members starts where it fits, and explain() and the round agree on that.
// Method: the gang of a launcher and its workers, and random worlds of free and used nodes.
#include <random>

#include "runtime/scheduling/engine/steps/gang_packing.hpp"
#include "runtime/scheduling/explain/gang_room.hpp"
#include "runtime/scheduling/tables.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

constexpr preset packing_presets[] = {preset::argosy, preset::unified, preset::classic,
                                      preset::lottery};

std::string unequal_node(int number, int cores, int memory = 1000,
                         const std::string& labels = "-") {
  return worlds::node({.number = number, .cpu = 1000 * cores, .memory = memory, .labels = labels});
}

std::string unequal_member(const std::string& id, int submitted, int cores, int of, int memory = 1,
                           const std::string& label = "-", int minimum = 0) {
  return worlds::job({.id = id,
                      .queue = "a",
                      .submitted = submitted,
                      .cpu = 1000 * cores,
                      .memory = memory,
                      .gang = "G",
                      .cardinality = of,
                      .uniformity_label = label,
                      .minimum = minimum});
}

TEST(unequal_gang, starts_with_its_largest_members) {
  const auto text = unequal_node(0, 3) + unequal_node(1, 4) + "Q a 1\n" +
                    unequal_member("launcher", 1, 1, 3) + unequal_member("worker0", 2, 3, 3) +
                    unequal_member("worker1", 3, 3, 3);
  for (const auto name : packing_presets)
    EXPECT_EQ(decide(text, name).rows,
              (lines{"S launcher n1 1000", "S worker0 n0 1000", "S worker1 n1 1000"}))
        << to_string(name);
  EXPECT_EQ(decide(text, preset::current).rows, lines{}) << "as in Armada";
}

TEST(unequal_gang, has_its_turns_by_the_largest_part_of_the_pool) {
  const auto text = unequal_node(0, 10, 100) + "Q a 1\n" + unequal_member("m0", 1, 1, 3, 1) +
                    unequal_member("m1", 2, 1, 3, 50) + unequal_member("m2", 3, 4, 3, 1);
  const auto world = read_snap1(text, bench_config(preset::argosy)).value();
  const auto& t = world.jobs_and_nodes.data();
  const engine::node_columns nodes(t, world.conf, {}, t.pools.find("default"));
  engine::gang g;
  for (std::uint32_t job = 0; job < 3; ++job) {
    auto& o = g.offers.emplace_back();
    o.job = job;
    o.shape = t.jobs[job].shape;
  }
  engine::order_members(g, nodes);
  EXPECT_EQ(g.turns, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(g.large, 1U);
  g.offers[0].left_out = true;
  g.offers[1].reach = 500;
  g.offers[2].reach = engine::evicted_priority;
  EXPECT_EQ(engine::fit_of(g).left_out, 1U);
  EXPECT_EQ(engine::fit_of(g).mean_reach, 249);
  EXPECT_FALSE(engine::fit_of(g).is_perfect());
}

/// By best fit the first small member takes memory of n1 that the second one needs.
std::string needs_spreading(const std::string& tight) {
  return unequal_node(0, 8, 30) + tight + unequal_node(2, 4, 2) + "Q a 1\nQ b 1\n" +
         unequal_member("large", 1, 8, 3) + unequal_member("small0", 2, 2, 3, 2) +
         unequal_member("small1", 3, 1, 3, 3);
}

TEST(unequal_gang, spreads_its_small_members_if_it_does_not_fit_otherwise) {
  EXPECT_EQ(decide(needs_spreading(unequal_node(1, 3, 4))).rows,
            (lines{"S large n0 1000", "S small0 n2 1000", "S small1 n1 1000"}));
}

TEST(unequal_gang, takes_nobodys_place_where_spreading_helps) {
  const auto text =
      needs_spreading(unequal_node(1, 4, 5)) + "J r b std 0 1 1000 1 0 - - - - 1 -\nR r 1 1 1000\n";
  EXPECT_EQ(decide(text).rows, (lines{"S large n0 1000", "S small0 n2 1000", "S small1 n1 1000"}));
}

/// A world in which only one gang waits, and nobody can be preempted.
std::string random_gang_world(std::mt19937_64& engine) {
  const auto below = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
  std::string text = "Q a 1\nQ b 1\n";
  const auto nodes = 1 + below(5);
  for (int n = 0; n < nodes; ++n) {
    const auto cores = 1 + below(8);
    const auto memory = 1 + below(8);
    text += unequal_node(n, cores, memory, "rack=r" + std::to_string(below(2)));
    const auto id = "r" + std::to_string(n);
    if (below(2) == 0)
      text += "J " + id + " b std-np 0 1 " + std::to_string(1000 * (1 + below(cores))) + " " +
              std::to_string(below(memory + 1)) + " 0 - - - - 1 -\nR " + id + " " +
              std::to_string(n) + " 1 1000\n";
  }
  const auto members = 2 + below(5);
  const auto* label = below(3) == 0 ? "rack" : "-";
  const auto minimum = below(3) == 0 ? 1 + below(members) : 0;
  for (int m = 0; m < members; ++m)
    text += unequal_member("m" + std::to_string(m), below(3), 1 + below(5), members, 1 + below(4),
                           label, minimum);
  return text;
}

TEST(unequal_gang, is_placed_whenever_explain_has_room_for_it) {
  int placed = 0;
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 4000 && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 engine(seed);
    const auto text = random_gang_world(engine);
    for (const auto name :
         {preset::argosy, preset::current, preset::unified, preset::classic, preset::lottery}) {
      SCOPED_TRACE(std::string(to_string(name)) + "\n" + text);
      const auto world = read_snap1(text, bench_config(name)).value();
      const auto& from = world.jobs_and_nodes;
      const auto last = static_cast<std::uint32_t>(from.data().jobs.size() - 1);
      const auto room = room_for_gang(from, world.conf, world.params.pool, from.job_id(last));
      ASSERT_TRUE(room);
      const auto made = schedule(from, world.conf, world.params);
      ASSERT_EQ(made.error + made.violation, "");
      const auto fits = room->fit_now >= room->minimum;
      EXPECT_EQ(!made.leases.empty(), fits);
      if (fits) EXPECT_EQ(made.leases.size(), room->fit_now);
      ++(fits ? placed : refused);
    }
  }
  EXPECT_GT(placed, 3000);
  EXPECT_GT(refused, 3000);
}

}  // namespace
}  // namespace argosy::scheduling
