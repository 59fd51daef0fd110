// SPDX-License-Identifier: Apache-2.0
// Goal: an agent in another process works through the bus as one in the same process does, outlives
// the control plane, and never runs a job beside another agent of its name; whatever its size, what
// it says and what it is told arrives.
// Method: agents in a second actor system of the same thread; time passes in both in small steps.
#include <gmock/gmock.h>

#include "tests/actors/link/remote_agent_fixture.hpp"

namespace argosy::tests {

using ::testing::SizeIs;

struct remote_agent : remote_agent_test {
  remote_agent() : process(add_process()) {
    start();
    create_queue("a");
    spawn_agent(process);
    both(1s);
  }
  remote_process& process;
};

TEST_F(remote_agent_test, ends_with_what_to_do_where_it_may_not_hear_the_control_plane) {
  start();
  for (const std::string what : {"orders", "logs"}) {
    broker.deny("argosy.agent." + what + ".*." + what);
    auto& process = add_process();
    process.cluster = what;
    spawn_agent(process);
    both(1s);
    ASSERT_TRUE(process.failure) << what;
    EXPECT_EQ(process.failure->code, ec::denied);
    EXPECT_THAT(process.failure->detail,
                ::testing::HasSubstr("its key is not that of agent/" + what + ","));
  }
  EXPECT_THAT(nodes(), SizeIs(0)) << "it said no hello";
}

TEST_F(remote_agent, registers_by_itself_and_runs_jobs) {
  EXPECT_THAT(nodes(), SizeIs(2));
  submit("a", {.count = 3});
  both(2s);
  EXPECT_EQ(count("a", api::RUNNING), 3);
  both(8s);
  EXPECT_EQ(count("a", api::SUCCEEDED), 3);
}

TEST_F(remote_agent, outlives_the_control_plane_with_its_runs) {
  submit("a", {.count = 3});
  both(2s);
  ASSERT_EQ(count("a", api::RUNNING), 3);
  crash();
  both(2s);
  start();
  both(2s);
  EXPECT_EQ(count("a", api::RUNNING), 3);
  both(5s);
  EXPECT_EQ(count("a", api::SUCCEEDED), 3);
  for (const auto& one : jobs("a")) EXPECT_EQ(one.run(), 1U);
}

TEST_F(remote_agent, ends_runs_that_finished_while_nobody_led) {
  submit("a", {.count = 2});
  both(2s);
  crash();
  both(10s);
  start();
  both(3s);
  EXPECT_EQ(count("a", api::SUCCEEDED), 2);
  for (const auto& one : jobs("a")) EXPECT_EQ(one.run(), 1U);
}

TEST_F(remote_agent, proxies_end_with_the_control_plane) {
  submit("a");
  both(1s);
  stop();
  rest();
  EXPECT_EQ(actors_alive(), 0U);
  EXPECT_GT(far.registry().running(), 0U);
}

TEST_F(remote_agent, is_stopped_through_the_bus) {
  const auto id = submit("a").at(0);
  both(1s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
  api::JobCancelRequest request;
  request.set_job_id(id);
  ask<api::CancellationResult>("Submit.CancelJobs", request);
  both(2s);
  EXPECT_EQ(job(id).state(), api::CANCELLED);
}

TEST_F(remote_agent, comes_back_after_its_own_death) {
  const auto id = submit("a").at(0);
  both(1s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
  kill_agents();
  both(1s);
  spawn_agent(process);
  both(6s);
  // Simulated runs do not survive their agent: it reports them as never started.
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(id).run(), 2U);
}

struct remote_frames : remote_agent_test {
  remote_frames() : process(add_process()) {
    start();
    create_queue("a");
  }
  remote_process& process;
};

TEST_F(remote_frames, a_hello_longer_than_a_frame_comes_in_parts) {
  process.nodes.count = 30;
  process.part_bytes_max = 500;
  spawn_agent(process);
  both(1s);
  EXPECT_THAT(nodes(), SizeIs(30));
  submit("a", {.count = 20});
  both(2s);
  EXPECT_EQ(count("a", api::RUNNING), 20);
  // The next leader hears of all of them.
  crash();
  start();
  both(3s);
  EXPECT_EQ(count("a", api::RUNNING), 20);
  both(6s);
  EXPECT_EQ(count("a", api::SUCCEEDED), 20);
  EXPECT_EQ(process.begun, 20U);
}

TEST_F(remote_frames, an_agent_with_nine_megabytes_of_nodes_is_heard) {
  process.nodes.count = 30;
  process.nodes.labels = {{"long", std::string(300'000, 'x')}};
  spawn_agent(process);
  both(1s);
  submit("a", {.count = 30, .cpu = "2"});
  both(2s);
  EXPECT_EQ(count("a", api::RUNNING), 30) << "one on each node";
}

TEST_F(remote_frames, large_annotations_do_not_keep_starts_back) {
  process.nodes.count = 50;
  spawn_agent(process);
  both(1s);
  auto request = make_submit("a", {.count = 20});
  for (auto& item : *request.mutable_job_request_items())
    (*item.mutable_annotations())["large"] = std::string(200'000, 'x');
  for (int i = 0; i < 4; ++i) ask<api::JobSubmitResponse>("Submit.SubmitJobs", request);
  both(2s);
  EXPECT_EQ(count("a", api::RUNNING), 80);
}

TEST_F(remote_frames, a_cluster_may_have_dots_in_its_name) {
  process.cluster = "eu.north-1.far";
  spawn_agent(process);
  both(1s);
  EXPECT_THAT(nodes(), SizeIs(2));
  submit("a", {.count = 3});
  both(2s);
  EXPECT_EQ(count("a", api::RUNNING), 3);
}

/// Two agents were given one name.
struct remote_namesakes : remote_agent_test {
  remote_namesakes() : older(add_process()), newer(add_process()) {
    newer.take_over = true;
    older.runtime = newer.runtime = 1h;
    start([](actors::root_config& with) {
      auto& rules = with.rules.cluster_rules;
      rules.lease = 5s;
      rules.heartbeat = 1s;
      rules.kill_grace = 1s;
      rules.margin = 100ms;
    });
    create_queue("a");
    spawn_agent(older);
    both(1s);
  }
  remote_process& older;
  remote_process& newer;
};

TEST_F(remote_namesakes, are_refused_while_the_first_is_heard) {
  const auto first = submit("a").at(0);
  both(1s);
  newer.take_over = false;
  newer.place = "there";
  spawn_agent(newer);
  both(1s);
  ASSERT_TRUE(newer.failure);
  EXPECT_EQ(newer.failure->code, ec::conflict) << "the program's exit code is 6";
  EXPECT_THAT(newer.failure->detail,
              ::testing::AllOf(::testing::HasSubstr("cluster 'far' is served by another agent"),
                               ::testing::HasSubstr("--take-over")));
  both(10s);
  EXPECT_FALSE(older.failure);
  EXPECT_EQ(older.begun, 1U);
  EXPECT_EQ(job(first).state(), api::RUNNING);
}

/// Two agents with one store, as when a data directory or a machine is copied.
struct remote_copies : remote_namesakes {
  remote_copies() {
    newer.take_over = false;
    first = submit("a").at(0);
    both(1s);
    newer.database = std::shared_ptr<store::database>{
        dynamic_cast<store::memory_database&>(*older.database).clone()};
  }
  /// The copy starts and ends, and the first agent goes on.
  void expect_refused(const std::string& why) {
    spawn_agent(newer);
    both(4s);
    ASSERT_TRUE(newer.failure);
    EXPECT_EQ(newer.failure->code, ec::conflict);
    EXPECT_THAT(newer.failure->detail, ::testing::HasSubstr(why));
    const auto second = submit("a").at(0);
    both(10s);
    EXPECT_EQ(newer.begun, 0U);
    EXPECT_EQ(older.begun, 2U);
    EXPECT_EQ(older.running.size(), 2U);
    EXPECT_EQ(job(first).state(), api::RUNNING);
    EXPECT_EQ(job(first).run(), 1U);
    EXPECT_EQ(job(second).state(), api::RUNNING);
  }
  std::string first;
};

TEST_F(remote_copies, of_a_directory_run_no_job_twice) {
  newer.place = "the copy";
  expect_refused("is served by another agent");
}

TEST_F(remote_copies, of_a_machine_run_no_job_twice) {
  newer.boot = "tuesday";
  expect_refused("is a copy of its machine or of its data directory");
}

TEST_F(remote_namesakes, run_no_job_twice) {
  const auto first = submit("a").at(0);
  both(1s);
  ASSERT_EQ(older.running.size(), 1U);
  spawn_agent(newer);
  both(100ms);
  const auto second = submit("a").at(0);
  both(2s);
  EXPECT_EQ(older.running.size(), 1U) << "it still has a lease";
  EXPECT_EQ(newer.running.size(), 1U);
  EXPECT_EQ(job(first).run(), 1U);
  EXPECT_EQ(job(second).state(), api::RUNNING);
  both(6s);
  EXPECT_TRUE(older.running.empty());
  EXPECT_EQ(older.begun, 1U);
  ASSERT_TRUE(older.failure);
  EXPECT_EQ(older.failure->code, ec::conflict);
  EXPECT_EQ(newer.running.size(), 2U);
  EXPECT_EQ(job(first).state(), api::RUNNING);
  EXPECT_EQ(job(first).run(), 2U);
  EXPECT_EQ(job(second).run(), 1U);
  EXPECT_FALSE(newer.failure);
}

TEST_F(remote_namesakes, run_no_job_twice_across_a_change_of_leader) {
  const auto first = submit("a").at(0);
  both(1s);
  ASSERT_EQ(older.running.size(), 1U);
  // The older agent's heartbeats are lost, so that it does not hear of the newer one.
  broker.set_frozen(*older.connection, true);
  spawn_agent(newer);
  both(500ms);
  crash();
  start();
  both(2s);
  EXPECT_EQ(older.running.size(), 1U);
  EXPECT_TRUE(newer.running.empty());
  EXPECT_EQ(job(first).run(), 1U);
}

}  // namespace argosy::tests
