// SPDX-License-Identifier: Apache-2.0
// Goal: an agent that is cut off for less than its lease loses nothing; one that is cut off for
// longer has ended its runs before they begin elsewhere (F18, F19). Method: real processes over a
// proxy that holds everything back, and the witnesses of the jobs.
#include <thread>

#include "tests/support/chaos/linked_world.hpp"

namespace argosy::chaos {

namespace {

using cut_off = linked_world;

TEST_F(cut_off, an_agent_keeps_its_runs_for_its_lease_and_no_longer) {
  ASSERT_TRUE(submit(12, 4'500ms, "deaf"));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
  ASSERT_TRUE(comes_to_run_on("c1"));
  ASSERT_TRUE(comes_to_run_on("c2"));
  agent_link.set({.to_server = false, .to_client = false});
  std::this_thread::sleep_for(700ms);
  agent_link.set({});
  EXPECT_EQ(begun(), 12u) << "a short outage begins nothing elsewhere";
  EXPECT_TRUE(testing::eventually([&] { return world.ctl({"get", "clusters"}).code == 0; }));
  agent_link.set({.to_server = false, .to_client = false});
  ASSERT_TRUE(testing::eventually([&] { return begun() > 12; })) << "they begin elsewhere";
  agent_link.set({});
  expect_kept();
  EXPECT_GT(found.begun_again, 0u);
}

}  // namespace

}  // namespace argosy::chaos
