// SPDX-License-Identifier: Apache-2.0
// Goal: an agent in another process works through the bus as one in the same process does, and
// outlives the control plane.
// Method: a second actor system in the same thread with the real EXECUTOR over a simulated backend;
// time passes in both in small steps.
#include <gmock/gmock.h>

#include <algorithm>

#include "actors/bus.hpp"
#include "actors/executor.hpp"
#include "actors/remote_cluster.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "tests/actors/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::SizeIs;
using namespace std::chrono_literals;

struct remote_agent : control_plane_test {
  remote_agent()
      : far(far_config),
        far_scheduler(dynamic_cast<caf::scheduler::test_coordinator&>(far.scheduler())),
        connection(broker.connect()) {
    start();
    create_queue("a");
    spawn_agent();
    both(1s);
  }
  ~remote_agent() override {
    kill_agent();
    connection->close();
  }

  void spawn_agent() {
    auto memory = actors::load_executor(*far_database, 5'000'000'000);
    ASSERT_TRUE(memory);
    bus = actors::spawn_bus(far, {connection}, actors::run_on::pool);
    session = actors::spawn_remote_cluster(far, {"far", bus});
    store = actors::spawn_executor_store(far, {far_database}, actors::run_on::pool);
    actors::executor_actor_config with;
    with.cluster = {"far", "default", "simulated", 0};
    with.memory = std::move(*memory);
    with.store = store;
    with.session = session;
    with.clock = &clock;
    with.make_backend =
        [this](backends::event_sink sink) -> result<std::unique_ptr<backends::backend>> {
      backends::simulated_config settings;
      settings.manual_time = true;
      settings.start = clock.boot();
      settings.runs.runtime = 8s;
      settings.nodes.push_back(
          {"n",
           2,
           {{"cpu", 2'000}, {"ephemeral-storage", 1LL << 40}, {"memory", 8LL << 30}},
           {},
           {}});
      auto made = std::make_unique<backends::simulated_backend>(settings, std::move(sink));
      backend = made.get();
      return std::unique_ptr<backends::backend>{std::move(made)};
    };
    executor = actors::spawn_executor(far, std::move(with));
  }

  void kill_agent() {
    executor = nullptr;
    store = nullptr;
    session = nullptr;
    bus = nullptr;
    backend = nullptr;
    for (int i = 0; i < 10 && far.registry().running() > 0; ++i) {
      for (const auto& actor : trace::live_actors(far))
        caf::anon_send_exit(actor.handle, caf::exit_reason::kill);
      rest();
    }
    EXPECT_EQ(far.registry().running(), 0U);
  }

  /// Messages of both systems, until there are none.
  void rest() {
    for (bool moved = true; moved;) {
      moved = false;
      while (scheduler.try_run_once()) moved = true;
      while (far_scheduler.try_run_once()) moved = true;
    }
  }

  /// Time for both systems, the bus and the backend.
  void both(std::chrono::milliseconds time) {
    rest();
    for (auto done = 0ms; done < time; done += 10ms) {
      scheduler.advance_time(10ms);
      far_scheduler.advance_time(10ms);
      broker.advance(10ms);
      if (backend != nullptr) backend->advance(clock.boot());
      rest();
    }
  }

  deterministic_config far_config;
  caf::actor_system far;
  caf::scheduler::test_coordinator& far_scheduler;
  std::shared_ptr<bus::connection> connection;
  std::shared_ptr<store::memory_database> far_database = std::make_shared<store::memory_database>();
  actors::bus_actor bus;
  actors::remote_cluster_actor session;
  actors::executor_store_actor store;
  actors::local_executor_actor executor;
  backends::simulated_backend* backend = nullptr;
};

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
  kill_agent();
  both(1s);
  spawn_agent();
  both(6s);
  // Simulated runs do not survive their agent: it reports them as never started.
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(id).run(), 2U);
}

}  // namespace argosy::tests
