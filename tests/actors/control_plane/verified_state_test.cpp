// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/verified_state.hpp"

#include <gtest/gtest.h>

#include "runtime/scheduling/snap1.hpp"
#include "runtime/scheduling/tables.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::actors {
namespace {

using namespace argosy::scheduling;

/// A node of 4 cores, and a job of 1 core that waits.
struct small_pool {
  [[nodiscard]] verified_state::outcome decide() {
    return state.decide(given.jobs_and_nodes, conf, given.params);
  }
  /// The node takes no more jobs, of which nobody is told.
  void forget_to_tell() {
    const_cast<tables&>(given.jobs_and_nodes.data()).nodes.front().unschedulable = true;
  }

  snap1_world given =
      read_snap1(worlds::node({.number = 0}) + worlds::queue("q") + worlds::job({.id = "j0"}),
                 bench_config(preset::argosy))
          .value();
  std::shared_ptr<const config> conf = std::make_shared<config>(given.conf);
  verified_state state;
};

TEST(verified_state, takes_the_second_plan_if_the_two_differ_and_begins_anew) {
  small_pool at;
  at.state = verified_state{verification::always};
  EXPECT_TRUE(at.decide().made_anew);
  at.forget_to_tell();
  const auto wrong = at.decide();
  EXPECT_TRUE(wrong.differed);
  EXPECT_TRUE(wrong.plan.leases.empty());
  const auto next = at.decide();
  EXPECT_TRUE(next.made_anew);
  EXPECT_FALSE(next.differed);
}

TEST(verified_state, looks_at_one_of_some_rounds_if_they_are_sampled) {
  small_pool at;
  at.state = verified_state{verification::sampled};
  (void)at.decide();
  at.forget_to_tell();
  std::uint64_t round = 1;
  while (!at.decide().differed) ++round;
  EXPECT_EQ(round + 1, verified_state::sampled_every);
}

TEST(verified_state, decides_draws_that_time_has_ended_a_second_time_by_their_number) {
  small_pool at;
  std::string text = worlds::node({.cpu = 40000});
  for (const auto* queue : {"a", "b", "c"}) {
    text += worlds::queue(queue);
    for (int i = 0; i < 20; ++i)
      text += worlds::job({.id = queue + std::to_string(i), .queue = queue});
  }
  auto drawn_for = bench_config(preset::lottery);
  drawn_for.selection = queue_selection::lottery;
  at.given = read_snap1(text, drawn_for).value();
  at.conf = std::make_shared<config>(at.given.conf);
  at.state = verified_state{verification::always};
  // The second time it would end elsewhere, if it asked.
  at.given.params.draws_end = [asked = std::make_shared<int>()] { return ++*asked % 7 == 0; };
  for (int round = 0; round < 3; ++round) {
    const auto got = at.decide();
    EXPECT_FALSE(got.differed);
    EXPECT_EQ(got.plan.draw_limit, 7U);
    EXPECT_EQ(got.plan.leases.size(), 7U);
  }
}

TEST(verified_state, looks_at_none_if_it_is_off) {
  small_pool at;
  (void)at.decide();
  at.forget_to_tell();
  for (std::uint64_t i = 0; i < 2 * verified_state::sampled_every; ++i)
    EXPECT_FALSE(at.decide().differed);
}

}  // namespace
}  // namespace argosy::actors
