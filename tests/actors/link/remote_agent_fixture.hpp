// SPDX-License-Identifier: Apache-2.0
// Agents in a second actor system on the same thread, which speak to the control plane over the bus
// in memory. Each has the real EXECUTOR over a simulated backend. Time passes in both systems in
// small steps.
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <set>

#include "actors/agent/executor.hpp"
#include "actors/api/bus.hpp"
#include "actors/link/cluster_proxy.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;

/// One agent's process. Its store outlives it.
struct remote_process {
  std::string cluster = "far";
  std::string place = "here";
  std::string boot = "monday";
  backends::node_template nodes{
      "n", 2, {{"cpu", 2'000}, {"ephemeral-storage", 1LL << 40}, {"memory", 8LL << 30}}, {}, {}};
  std::chrono::nanoseconds runtime = 8s;
  bool take_over = false;
  std::size_t part_bytes_max = codec::frame_part_bytes;

  std::shared_ptr<metrics::board> board = metrics::make_board();
  std::shared_ptr<bus::connection> connection;
  std::shared_ptr<store::database> database = std::make_shared<store::memory_database>();
  actors::bus_actor bus;
  actors::remote_cluster_actor session;
  actors::executor_store_actor store;
  actors::local_executor_actor executor;
  backends::simulated_backend* backend = nullptr;
  std::set<model::run_key> running;
  std::size_t begun = 0;  ///< How many runs it has begun in all.
  std::optional<error> failure;
};

struct remote_agent_test : control_plane_test {
  remote_agent_test()
      : far(far_config),
        far_scheduler(dynamic_cast<caf::scheduler::test_coordinator&>(far.scheduler())) {}
  ~remote_agent_test() override {
    kill_agents();
    for (auto& one : processes) one.connection->close();
  }

  remote_process& add_process() {
    auto& out = processes.emplace_back();
    out.connection = broker.connect();
    return out;
  }

  void spawn_agent(remote_process& of) {
    auto memory = actors::load_executor(*of.database, of.place);
    ASSERT_TRUE(memory);
    of.bus = actors::spawn_bus(far, {of.connection, of.board}, actors::run_on::pool);
    of.session = actors::spawn_cluster_proxy(far, {model::cluster_name{of.cluster},
                                                   of.bus,
                                                   10s,
                                                   256,
                                                   of.part_bytes_max,
                                                   of.board,
                                                   {++processes_made}});
    of.store =
        actors::spawn_executor_store(far, {of.database, false, of.board}, actors::run_on::pool);
    actors::executor_actor_config with;
    with.cluster = {model::cluster_name{of.cluster}, "default", "simulated", {}};
    with.cluster.place = of.place;
    with.cluster.boot = of.boot;
    with.cluster.process = {processes_made};
    with.memory = std::move(*memory);
    with.rules.take_over = of.take_over;
    with.store = of.store;
    with.session = of.session;
    with.clock = &clock;
    with.probes = of.board;
    with.make_backend =
        [this, &of](backends::event_sink sink) -> result<std::unique_ptr<backends::backend>> {
      backends::simulated_config settings;
      settings.manual_time = true;
      settings.start = clock.boot();
      settings.runs.runtime = of.runtime;
      settings.nodes.push_back(of.nodes);
      auto made = std::make_unique<backends::simulated_backend>(
          settings, [&of, sink](std::vector<model::run_event> events) {
            note(of, events);
            sink(std::move(events));
          });
      of.backend = made.get();
      return std::unique_ptr<backends::backend>{std::move(made)};
    };
    with.on_failure = [&of](const error& why) {
      of.failure = why;
      of.backend = nullptr;
    };
    of.executor = actors::spawn_executor(far, std::move(with));
  }

  void kill_agents() {
    for (auto& one : processes) {
      one.executor = nullptr;
      one.store = nullptr;
      one.session = nullptr;
      one.bus = nullptr;
      one.backend = nullptr;
      one.running.clear();
    }
    for (int i = 0; i < 10 && far.registry().running() > 0; ++i) {
      for (const auto& actor : trace::live_actors(far))
        caf::anon_send_exit(actor.handle, caf::exit_reason::kill);
      rest();
    }
    EXPECT_EQ(far.registry().running(), 0U);
  }

  /// Runs the messages of both systems until there are none.
  void rest() {
    for (bool moved = true; moved;) {
      moved = false;
      while (scheduler.try_run_once()) moved = true;
      while (far_scheduler.try_run_once()) moved = true;
    }
  }

  /// Lets time pass for both systems, the bus and the backends. No job may run in two processes.
  void both(std::chrono::milliseconds time) {
    rest();
    for (auto done = 0ms; done < time; done += 10ms) {
      scheduler.advance_time(10ms);
      far_scheduler.advance_time(10ms);
      broker.advance(10ms);
      for (auto& one : processes)
        if (one.backend != nullptr) one.backend->advance(clock.boot());
      rest();
      std::set<ulid> jobs;
      for (const auto& one : processes)
        for (const auto& run : one.running)
          EXPECT_TRUE(jobs.insert(run.job).second) << to_string(run) << " runs twice";
    }
  }

  deterministic_config far_config;
  caf::actor_system far;
  caf::scheduler::test_coordinator& far_scheduler;
  std::deque<remote_process> processes;
  std::uint64_t processes_made = 0;

 private:
  static void note(remote_process& of, const std::vector<model::run_event>& events) {
    for (const auto& event : events) {
      if (event.phase == model::run_phase::running) {
        of.running.insert(event.run);
        ++of.begun;
      } else if (is_final(event.phase)) {
        of.running.erase(event.run);
      }
    }
  }
};

}  // namespace argosy::tests
