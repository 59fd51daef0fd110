// SPDX-License-Identifier: Apache-2.0
// Goal: links that are cut, half open or slow cost time and nothing else (F12, F17, F19, F20, F26,
// F45). Method: real processes over proxies, and the witnesses of the jobs.
#include <thread>

#include "tests/support/chaos/linked_world.hpp"

namespace argosy::chaos {

namespace {

using testing::link_state;

class links : public linked_world {
 protected:
  /// Submits every half second for this time. Returns how many submissions were accepted.
  int submit_during(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    int accepted = 0;
    while (std::chrono::steady_clock::now() < end) {
      accepted += submit(2, 300ms);
      std::this_thread::sleep_for(500ms);
    }
    return accepted;
  }
  /// Expects that argosyd takes jobs again within the limit.
  void expect_taken_within(std::chrono::milliseconds limit) {
    const auto begun_at = std::chrono::steady_clock::now();
    EXPECT_TRUE(testing::eventually([&] { return submit(1, 100ms); }, limit));
    std::cout << "takes jobs again after "
              << std::chrono::duration_cast<std::chrono::milliseconds>(
                     std::chrono::steady_clock::now() - begun_at)
                     .count()
              << " ms\n";
  }
  void agent_beyond_its_lease(const link_state& state) {
    ASSERT_TRUE(submit(12, 5s, "deaf"));
    ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
    ASSERT_TRUE(comes_to_run_on("c1"));
    agent_link.set(state);
    ASSERT_TRUE(testing::eventually([&] { return begun() > 12; })) << "they begin elsewhere";
    agent_link.set({});
    expect_kept();
    EXPECT_GT(found.begun_again, 0u);
  }
};

TEST_F(links, an_agent_that_cannot_send_ends_its_runs_before_others_begin_them) {
  agent_beyond_its_lease({.to_server = false});
}

TEST_F(links, an_agent_that_cannot_hear_ends_its_runs_before_others_begin_them) {
  agent_beyond_its_lease({.to_client = false});
}

TEST_F(links, an_agent_whose_connections_are_refused_ends_its_runs_before_others_begin_them) {
  ASSERT_TRUE(submit(12, 5s, "child"));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 12; }));
  agent_link.set({.accepts = false});
  agent_link.cut();
  ASSERT_TRUE(testing::eventually([&] { return begun() > 12; }));
  agent_link.set({});
  expect_kept();
}

/// The order waits on its way until its run has lapsed and its job runs elsewhere.
TEST_F(links, an_order_that_arrives_after_the_lease_of_its_run_starts_nothing) {
  agent_link.set({.to_server = false, .to_client = false});
  ASSERT_TRUE(submit(12, 8s));
  ASSERT_TRUE(testing::eventually([&] { return begun() > 0; }));
  const auto ordered = begun();
  ASSERT_LT(ordered, 12u) << "some were ordered from the agent that is cut off";
  ASSERT_TRUE(testing::eventually([&] { return begun() > ordered; })) << "they begin elsewhere";
  agent_link.set({});
  expect_kept();
}

TEST_F(links, argosyd_cut_off_for_three_seconds_goes_on) {
  ASSERT_TRUE(submit(10, 1s));
  argosyd_link.set({.to_server = false, .to_client = false});
  std::this_thread::sleep_for(3s);
  argosyd_link.set({});
  expect_taken_within(10s);
  EXPECT_TRUE(world.argosyd().running());
  expect_kept();
}

TEST_F(links, argosyd_cut_off_for_twenty_seconds_goes_on) {
  ASSERT_TRUE(submit(10, 30s));
  ASSERT_TRUE(testing::eventually([&] { return begun() == 10; }));
  argosyd_link.set({.to_server = false, .to_client = false});
  EXPECT_EQ(submit_during(20s), 0);
  argosyd_link.set({});
  expect_taken_within(20s);
  EXPECT_TRUE(world.argosyd().running()) << world.last_of("argosyd.log");
  expect_kept(120s);
}

TEST_F(links, argosyd_that_cannot_hear_or_not_send_goes_on) {
  for (const auto& state : {link_state{.to_server = false}, link_state{.to_client = false}}) {
    ASSERT_TRUE(submit(10, 1s));
    argosyd_link.set(state);
    submit_during(15s);
    argosyd_link.set({});
    expect_taken_within(20s);
    EXPECT_TRUE(world.argosyd().running()) << world.last_of("argosyd.log");
  }
  expect_kept(60s);
}

TEST_F(links, that_are_slow_and_reset_connections_cost_no_job) {
  const link_state bad{.delay = 50ms, .jitter = 250ms, .resets_per_million = 10'000};
  argosyd_link.set(bad);
  agent_link.set(bad);
  EXPECT_GT(submit_during(60s), 5);
  argosyd_link.set({});
  agent_link.set({});
  expect_taken_within(20s);
  EXPECT_GT(argosyd_link.resets() + agent_link.resets(), 0u);
  expect_kept(60s);
}

}  // namespace

}  // namespace argosy::chaos
