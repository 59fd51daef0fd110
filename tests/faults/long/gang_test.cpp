// SPDX-License-Identifier: Apache-2.0
// Goal: whenever an agent dies while a gang starts, and however long it is away, the gang runs
// whole and no member twice (F41). Method: two agents with room for one member each, SIGKILL to one
// of them at a known moment or at times that follow from seeds, and the witnesses of the members.
#include "tests/support/chaos/gang_world.hpp"
#include "tests/support/chaos/plan.hpp"

namespace argosy::chaos {

namespace {

/// The lease is 2 s, the margin 1 s.
constexpr auto beyond_the_lease = 5s;

class gang_start : public gang_world {};

TEST_F(gang_start, runs_whole_though_an_agent_dies_before_its_member_or_after) {
  begin_while_an_agent_dies(moment::after_the_lease, 0ms);
  begin_while_an_agent_dies(moment::after_the_start, 0ms);
  expect_kept();
}

TEST_F(gang_start, runs_whole_whenever_an_agent_dies) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    seeded numbers{seed};
    const std::chrono::milliseconds later{static_cast<std::int64_t>(numbers.below(400))};
    const auto away = numbers.below(2) == 0 ? 0ms : beyond_the_lease;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": killed " + std::to_string(later.count()) +
                 " ms after the gang was accepted, away for " + std::to_string(away.count()));
    begin_while_an_agent_dies(moment::after_a_while, away, later);
    if (HasFatalFailure()) return;
  }
  expect_kept();
}

TEST_F(gang_start, whose_agent_dies_before_its_member_and_stays_away_begins_again_whole) {
  begin_while_an_agent_dies(moment::after_the_lease, beyond_the_lease);
  expect_kept();
  EXPECT_EQ(found.begun_again, 1u) << "the member of the other agent was recalled";
}

TEST_F(gang_start, whose_agent_dies_after_the_start_and_stays_away_begins_again_whole) {
  begin_while_an_agent_dies(moment::after_the_start, beyond_the_lease);
  expect_kept();
  EXPECT_EQ(found.begun_again, 2u);
}

}  // namespace

}  // namespace argosy::chaos
