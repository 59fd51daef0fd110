// SPDX-License-Identifier: Apache-2.0
// Goal: simulated runs take the time, and end in the way, that their annotations ask for; the same
// input gives the same events.
// Method: manual time, except for one test of the thread.
#include <gtest/gtest.h>

#include <condition_variable>

#include "runtime/backends/platform.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;
using namespace std::chrono_literals;

run_launch make_run(std::uint8_t serial, model::label_list annotations = {},
                    std::int64_t deadline_seconds = 0) {
  auto order = std::make_shared<model::start_run>();
  order->run.job.bytes[15] = serial;
  order->run.number = 1;
  order->deadline_seconds = deadline_seconds;
  run_launch out;
  out.order = order;
  out.plan.annotations = std::move(annotations);
  return out;
}

struct simulated : ::testing::Test {
  simulated() { backend.renew({1h}); }

  static simulated_config config() {
    simulated_config out;
    out.manual_time = true;
    out.start = 100s;
    out.nodes.push_back({"big", 2, {{"cpu", 32'000}}, {{"zone", "a"}}, {{"t", "v", "NoSchedule"}}});
    return out;
  }

  /// Returns the phases that were reported so far, oldest first, and forgets them.
  std::vector<run_phase> take_phases() {
    std::vector<run_phase> out;
    for (const auto& event : events) out.push_back(event.phase);
    events.clear();
    return out;
  }

  std::vector<run_event> events;
  simulated_backend backend{config(), [this](std::vector<run_event> more) {
                              events.insert(events.end(), more.begin(), more.end());
                            }};
};

}  // namespace

TEST(sim_duration, reads_seconds_and_units) {
  EXPECT_EQ(parse_sim_duration("2"), 2s);
  EXPECT_EQ(parse_sim_duration("0.5"), 500ms);
  EXPECT_EQ(parse_sim_duration("0"), 0s);
  EXPECT_EQ(parse_sim_duration("1m30s"), 90s);
  EXPECT_EQ(parse_sim_duration("1.5h"), 90min);
  EXPECT_EQ(parse_sim_duration("250ms"), 250ms);
  EXPECT_EQ(parse_sim_duration("3us"), 3us);
}

TEST(sim_duration, refuses_anything_else) {
  for (const char* text :
       {"", "s", "-1", "1x", "1m30", "1 s", "1..5", "inf", "nan", "1e9", "99999999h"})
    EXPECT_EQ(parse_sim_duration(text).error().code, ec::invalid_argument) << text;
}

TEST(sim_plan, fails_the_asked_share_of_runs_and_the_same_ones_again) {
  sim_defaults defaults;
  defaults.failure_rate = 0.25;
  int failed = 0;
  for (std::uint32_t i = 1; i <= 4000; ++i) {
    const model::run_key run{{}, i};
    const auto plan = plan_simulated_run(run, {}, defaults);
    ASSERT_TRUE(plan);
    EXPECT_EQ(*plan, *plan_simulated_run(run, {}, defaults));
    failed += plan->exit_code;
  }
  EXPECT_NEAR(failed, 1000, 120);
}

TEST(sim_plan, spreads_run_times_around_the_default) {
  sim_defaults defaults;
  defaults.runtime_spread = 0.5;
  std::chrono::nanoseconds least{1h};
  std::chrono::nanoseconds most{0};
  for (std::uint32_t i = 1; i <= 500; ++i) {
    const auto plan = plan_simulated_run({{}, i}, {}, defaults);
    ASSERT_TRUE(plan);
    least = std::min(least, plan->runtime);
    most = std::max(most, plan->runtime);
  }
  EXPECT_GE(least, 500ms);
  EXPECT_LT(least, 550ms);
  EXPECT_LE(most, 1500ms);
  EXPECT_GT(most, 1450ms);
}

TEST_F(simulated, ends_a_run_after_its_time) {
  backend.start(make_run(1, {{sim_annotation::runtime, "2s"}}));
  backend.advance(100s);
  EXPECT_EQ(take_phases(), (std::vector{run_phase::pending, run_phase::running}));
  EXPECT_EQ(backend.next_due(), 102s);
  backend.advance(102s - 1ns);
  EXPECT_TRUE(events.empty());
  backend.advance(102s);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].phase, run_phase::succeeded);
  EXPECT_EQ(events[0].time_ns, config().wall_offset_ns + 102'000'000'000);
  EXPECT_EQ(backend.next_due(), std::nullopt);
}

TEST_F(simulated, waits_before_it_begins) {
  auto slow = config();
  slow.runs.start_delay = 3s;
  slow.runs.runtime = 2s;
  simulated_backend later{slow, [this](std::vector<run_event> more) {
                            events.insert(events.end(), more.begin(), more.end());
                          }};
  later.renew({1h});
  later.start(make_run(1));
  later.advance(103s - 1ns);
  EXPECT_EQ(take_phases(), (std::vector{run_phase::pending}));
  later.advance(104s);
  EXPECT_EQ(take_phases(), (std::vector{run_phase::running}));
  later.advance(105s);
  EXPECT_EQ(take_phases(), (std::vector{run_phase::succeeded}));
}

TEST_F(simulated, ends_with_the_asked_exit_code) {
  backend.start(make_run(1, {{sim_annotation::exit_code, "17"}}));
  backend.advance(101s);
  EXPECT_EQ(events.back().phase, run_phase::failed);
  EXPECT_EQ(events.back().outcome, (model::run_outcome{17, 0, "Error", "exited with code 17"}));
}

TEST_F(simulated, refuses_bad_annotations_by_name) {
  backend.start(make_run(1, {{sim_annotation::runtime, "soon"}}));
  backend.start(make_run(2, {{sim_annotation::exit_code, "256"}}));
  backend.start(make_run(3, {{sim_annotation::failure_rate, "2"}}));
  backend.advance(200s);
  ASSERT_EQ(events.size(), 3u);
  const char* const names[] = {sim_annotation::runtime, sim_annotation::exit_code,
                               sim_annotation::failure_rate};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i].phase, run_phase::refused);
    EXPECT_NE(events[i].outcome.message.find(names[i]), std::string::npos);
  }
}

TEST_F(simulated, ends_at_the_deadline) {
  backend.start(make_run(1, {{sim_annotation::runtime, "1h"}}, 5));
  backend.advance(104s);
  take_phases();
  backend.advance(105s);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].phase, run_phase::failed);
  EXPECT_EQ(events[0].outcome.reason, "DeadlineExceeded");
}

TEST_F(simulated, stops_once) {
  backend.start(make_run(1));
  model::stop_run order;
  order.run = make_run(1).order->run;
  order.reason = "why";
  backend.stop(order, 1s);
  backend.stop(order, 1s);
  backend.advance(300s);
  EXPECT_EQ(take_phases(),
            (std::vector{run_phase::pending, run_phase::running, run_phase::stopped}));
}

TEST_F(simulated, ends_all_when_the_lease_lapses) {
  simulated_backend brief{config(), [this](std::vector<run_event> more) {
                            events.insert(events.end(), more.begin(), more.end());
                          }};
  brief.renew({103s});
  brief.start(make_run(1, {{sim_annotation::runtime, "1s"}}));
  brief.start(make_run(2, {{sim_annotation::runtime, "1h"}}));
  brief.advance(200s);
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[4].phase, run_phase::succeeded);
  EXPECT_EQ(events[5].phase, run_phase::stopped);
  EXPECT_EQ(events[5].outcome.reason, "LeaseExpired");
  EXPECT_EQ(events[5].time_ns, config().wall_offset_ns + 103'000'000'000);
}

TEST_F(simulated, says_that_known_runs_did_not_start) {
  const auto found = backend.adopt({make_run(1).order->run});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].phase, run_phase::refused);
  EXPECT_EQ((*found)[0].outcome.reason, reason::not_started);
}

TEST_F(simulated, makes_nodes_from_templates) {
  const auto nodes = backend.nodes();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].name, "big-2");
  EXPECT_EQ(nodes[1].allocatable, (model::resource_list{{"cpu", 32'000}}));
  EXPECT_EQ(nodes[1].labels, (model::label_list{{"kubernetes.io/arch", own_architecture()},
                                                {"kubernetes.io/hostname", "big-2"},
                                                {"kubernetes.io/os", "linux"},
                                                {"zone", "a"}}));
  EXPECT_EQ(nodes[1].taints, (std::vector<model::taint>{{"t", "v", "NoSchedule"}}));
}

TEST(simulated_thread, ends_many_runs_by_itself) {
  std::mutex mutex;
  std::condition_variable changed;
  int ended = 0;
  simulated_backend backend{{}, [&](std::vector<run_event> events) {
                              const std::lock_guard guard{mutex};
                              for (const auto& event : events)
                                ended += event.phase == run_phase::succeeded;
                              changed.notify_all();
                            }};
  backend.renew({boot_now() + 1h});
  for (int i = 0; i < 200; ++i)
    backend.start(make_run(static_cast<std::uint8_t>(i), {{sim_annotation::runtime, "20ms"}}));
  std::unique_lock guard{mutex};
  EXPECT_TRUE(changed.wait_for(guard, 20s, [&] { return ended == 200; }));
}

}  // namespace argosy::backends
