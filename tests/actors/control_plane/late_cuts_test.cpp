// SPDX-License-Identifier: Apache-2.0
// Goal: an answer to a cut that comes after its time is not lost: what it held comes with a later
// one. Method: virtual time jumps over the time limit of a cut after each possible number of
// scheduling steps that follow a change, so that every answer is late once.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using namespace std::chrono_literals;

struct late_cuts : control_plane_test {
  late_cuts() {
    start([](actors::root_config& with) { with.cycle.cut_timeout = 5s; });
    create_queue("a");
  }

  /// Lets this many steps run and then six seconds pass at once. Returns false when everything had
  /// come to rest before.
  bool jump_after(int steps) {
    bool all = true;
    for (int i = 0; i < steps && all; ++i) all = scheduler.try_run_once();
    scheduler.advance_time(6s);
    settle();
    pass(1s);
    return all;
  }
  std::ptrdiff_t alive(const std::string& type) {
    const auto all = trace::live_actors(system);
    return std::count_if(all.begin(), all.end(),
                         [&](const trace::live_actor& actor) { return actor.type == type; });
  }
};

TEST_F(late_cuts, of_a_queue_lose_no_job) {
  add_agent("c", {node_of("n", 400)});
  int steps = 0;
  for (bool more = true; more && steps < 300; ++steps) {
    client->request("argosy.api.Submit.SubmitJobs", make_submit("a").SerializeAsString(), {}, 60s,
                    [](const result<bus::frame>&) {});
    more = jump_after(steps);
    ASSERT_EQ(count("a", api::RUNNING), steps + 1) << "late after " << steps << " steps";
  }
  EXPECT_GT(steps, 20);
  EXPECT_LT(steps, 300);
}

TEST_F(late_cuts, of_a_queue_return_the_room_of_ended_jobs) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  int steps = 0;
  for (bool more = true; more && steps < 300; ++steps) {
    const auto id = submit("a").at(0);
    pass(1s);
    ASSERT_EQ(job(id).state(), api::RUNNING) << "late after " << steps - 1 << " steps";
    agent.end(id, run_phase::succeeded);
    more = jump_after(steps);
  }
  EXPECT_GT(steps, 10);
  EXPECT_LT(steps, 300);
}

TEST_F(late_cuts, of_a_node_keep_nothing_stale) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  int steps = 0;
  for (bool more = true; more && steps < 300; ++steps) {
    const auto id = submit("a", {.cpu = "2"}).at(0);
    pass(1s);
    agent->nodes = {node_of("n", 2)};
    agent.tell_nodes();
    more = jump_after(steps);
    ASSERT_EQ(job(id).state(), api::RUNNING) << "late after " << steps << " steps";
    agent.end(id, run_phase::succeeded);
    agent->nodes = {node_of("n", 1)};
    agent.tell_nodes();
    pass(1s);
  }
  EXPECT_GT(steps, 5);
  EXPECT_LT(steps, 300);
}

TEST_F(late_cuts, of_a_node_that_left_are_its_last_word_all_the_same) {
  auto& agent = add_agent("c", {});
  int steps = 0;
  for (bool more = true; more && steps < 300; ++steps) {
    agent->nodes = {node_of("n", 1)};
    agent.tell_nodes();
    pass(1s);
    ASSERT_EQ(alive("argosy.node"), 1);
    agent->nodes = {};
    agent.hello();
    more = jump_after(steps);
    EXPECT_EQ(alive("argosy.node"), 0) << "late after " << steps << " steps";
    const auto id = submit("a").at(0);
    pass(1s);
    ASSERT_EQ(job(id).state(), api::QUEUED) << "late after " << steps << " steps";
    api::JobCancelRequest request;
    request.set_queue("a");
    request.set_job_set_id("set");
    request.add_job_ids(id);
    ASSERT_TRUE(call("Submit.CancelJobs", request));
  }
  EXPECT_GT(steps, 5);
  EXPECT_LT(steps, 300);
}

/// Has queues that start one job and then wait for a token, so that a round that does not see a
/// lease gives the room to another queue.
struct late_cuts_of_leases : late_cuts {
  late_cuts_of_leases() {
    stop();
    start([](actors::root_config& with) {
      with.cycle.cut_timeout = 5s;
      auto conf = scheduling::default_config();
      conf.queue_rate = 0.1;
      conf.queue_burst = 1;
      with.scheduling = std::make_shared<const scheduling::config>(conf);
    });
    create_queue("b");
  }
};

TEST_F(late_cuts_of_leases, give_no_room_away_twice) {
  auto& agent = add_agent("c", {});
  int steps = 0;
  for (bool more = true; more && steps < 300; ++steps) {
    const auto a = submit("a").at(0);
    const auto b = submit("b").at(0);
    agent->nodes = {node_of("n", 1)};
    agent.tell_nodes();
    for (int i = 0; i < 100 && agent->live.empty(); ++i) pass(1ms);
    settle();
    ASSERT_EQ(agent->live.size(), 1U);
    // The next cycle begins, and learns of the lease.
    scheduler.advance_time(20ms);
    more = jump_after(steps);
    ASSERT_EQ(agent->live.size(), 1U) << "late after " << steps << " steps";
    for (int job = 0; job < 2; ++job) {
      pass(10s);
      ASSERT_EQ(agent->live.size(), 1U) << "late after " << steps << " steps";
      agent.end(agent.has(a) ? a : b, run_phase::succeeded);
    }
    agent->nodes = {};
    agent.hello();
    pass(20s);
  }
  EXPECT_GT(steps, 3);
  EXPECT_LT(steps, 300);
}

}  // namespace argosy::tests
