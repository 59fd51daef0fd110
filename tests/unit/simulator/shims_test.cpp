// SPDX-License-Identifier: Apache-2.0
// Goal: runs of a simulated machine's shims go on without their agent, and the next one learns what
// has become of them.
// Method: manual time.
#include "bins/simulator/shims.hpp"

#include <gtest/gtest.h>

namespace argosy::sim {
namespace {

using model::run_phase;
using namespace std::chrono_literals;

struct shims_test : ::testing::Test {
  static backends::simulated_config config() {
    backends::simulated_config out;
    out.manual_time = true;
    out.start = 100s;
    return out;
  }

  static model::run_key run(std::uint8_t serial) {
    model::run_key out;
    out.job.bytes[15] = serial;
    out.number = 1;
    return out;
  }

  std::unique_ptr<backends::backend> attach() {
    auto out = all.attach([this](std::vector<model::run_event> events) {
      for (const auto& event : events) told.push_back(event.phase);
    });
    out->renew({10'000s, 5s});
    return out;
  }

  static void start(backends::backend& with, std::uint8_t serial, const char* runtime) {
    auto order = std::make_shared<model::start_run>();
    order->run = run(serial);
    backends::run_launch out;
    out.order = order;
    out.plan.annotations = {{model::sim_annotation::runtime, runtime}};
    with.start(std::move(out));
  }

  std::vector<run_phase> adopt(std::vector<model::recorded_run> known) {
    std::vector<run_phase> out;
    const auto found = attach()->adopt(known);
    EXPECT_TRUE(found.has_value());
    for (const auto& event : *found) out.push_back(event.phase);
    return out;
  }

  std::vector<run_phase> told;  ///< To the agents.
  std::size_t happened = 0;
  std::vector<std::pair<std::chrono::nanoseconds, std::function<void()>>> later;
  shims all{config(),
            [this](const std::vector<model::run_event>& events) { happened += events.size(); },
            [this](std::chrono::nanoseconds wait, std::function<void()> what) {
              later.emplace_back(wait, std::move(what));
            }};
};

TEST_F(shims_test, an_agent_that_comes_back_learns_what_runs_and_what_has_ended) {
  {
    const auto agent = attach();
    start(*agent, 2, "1s");
    start(*agent, 3, "1h");
    all.advance(100s);
    EXPECT_EQ(told.size(), 4u);  // Both are pending and running.
    all.detach();
  }
  all.advance(200s);
  EXPECT_EQ(told.size(), 4u);
  EXPECT_EQ(happened, 5u);
  EXPECT_EQ(adopt({run(2), run(3), run(4)}),
            (std::vector{run_phase::succeeded, run_phase::running, run_phase::refused}));
}

TEST_F(shims_test, a_run_that_the_next_agent_does_not_know_is_killed) {
  start(*attach(), 2, "1h");
  all.advance(100s);
  EXPECT_TRUE(adopt({}).empty());
  all.advance(101s);
  EXPECT_EQ(told.back(), run_phase::stopped);
}

TEST_F(shims_test, all_runs_are_lost_when_the_machine_boots) {
  start(*attach(), 2, "1h");
  all.advance(100s);
  all.restart(1s, 0, true);
  EXPECT_EQ(adopt({run(2)}), std::vector{run_phase::failed});
  all.restart(1s, 0, false);
  EXPECT_EQ(adopt({run(2)}), std::vector{run_phase::refused});
}

TEST_F(shims_test, a_run_that_ignores_sigterm_ends_with_its_grace) {
  const auto agent = attach();
  start(*agent, 5, "1h");
  all.advance(100s);
  model::stop_run order;
  order.run = run(5);
  agent->stop(order, 30s);
  agent->stop(order, 30s);
  all.advance(120s);
  EXPECT_EQ(told.back(), run_phase::running);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].first, 30s);
  later[0].second();
  all.advance(131s);
  EXPECT_EQ(told.back(), run_phase::stopped);
}

TEST_F(shims_test, a_lease_that_lapses_ends_runs_no_earlier_than_it_may) {
  const auto agent = all.attach([this](std::vector<model::run_event> events) {
    for (const auto& event : events) told.push_back(event.phase);
  });
  agent->renew({110s, 5s});
  start(*agent, 2, "1h");
  all.advance(114s);
  EXPECT_EQ(told.back(), run_phase::running);
  all.advance(116s);
  EXPECT_EQ(told.back(), run_phase::stopped);
}

}  // namespace
}  // namespace argosy::sim
