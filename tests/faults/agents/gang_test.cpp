// SPDX-License-Identifier: Apache-2.0
// Goal: a gang of which an agent dies while it starts runs whole, and no member twice (F41).
// Method: two agents with room for one member each, SIGKILL to one of them at a known moment, and
// the witnesses of the members.
#include "tests/support/chaos/gang_world.hpp"

namespace argosy::chaos {

namespace {

class gang_start : public gang_world {};

TEST_F(gang_start, runs_whole_though_an_agent_dies_before_its_member_or_after) {
  begin_while_an_agent_dies(moment::after_the_lease, 0ms);
  begin_while_an_agent_dies(moment::after_the_start, 0ms);
  expect_kept();
}

}  // namespace

}  // namespace argosy::chaos
