// SPDX-License-Identifier: Apache-2.0
// This fixture has an EXECUTOR on the deterministic scheduler, with a simulated backend on the same
// virtual time, a store in memory, and a CLUSTER that notes what it hears and answers as it is
// told.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/agent/executor.hpp"
#include "actors/caf_error.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/trace/caf/traced.hpp"
#include "tests/actors/executor/asking_fixture.hpp"

namespace argosy::actors {

using model::run_phase;
using namespace std::chrono_literals;

/// The incarnation that an answer gives which comes late.
inline constexpr model::incarnation late_incarnation{7};

/// The script notes what the CLUSTER of the test heard, and says how it answers.
struct session_script {
  std::vector<model::agent_hello> hellos;
  std::vector<model::run_report> reports;
  int heartbeats = 0;
  int goodbyes = 0;
  bool silent = false;
  bool answers_lost = false;             ///< The answers to hellos are lost.
  bool answers_late = false;             ///< The answer to a hello comes with that to a heartbeat.
  std::vector<model::incarnation> left;  ///< The incarnations that said goodbye.
  bool commits = true;
  bool superseded = false;  ///< Another agent has said hello.
  std::string control_plane;
  executor_actor executor;
};

struct session_state {
  explicit session_state(caf::stateful_actor<session_state, cluster_session_actor::base>*) {}
  std::shared_ptr<session_script> script;
  caf::typed_response_promise<model::hello_ack> late;
};

inline cluster_session_actor::behavior_type session_behavior(
    caf::stateful_actor<session_state, cluster_session_actor::base>* self,
    std::shared_ptr<session_script> script) {
  self->state.script = script;
  const auto unreachable = [] { return to_caf({ec::unreachable, "cut"}); };
  const auto newer = [] { return to_caf({ec::conflict, "cluster 'c' is at incarnation 9"}); };
  return {
      [=](atom::hello, const native::hello_ptr& hello,
          const executor_actor& from) -> caf::result<model::hello_ack> {
        if (script->silent) return unreachable();
        if (script->superseded) return newer();
        script->hellos.push_back(*hello);
        script->executor = from;
        if (script->answers_lost) return unreachable();
        if (script->answers_late) {
          self->state.late = self->make_response_promise<model::hello_ack>();
          return self->state.late;
        }
        model::hello_ack ack{{1}, boot_time{60s}.count(), boot_time{2s}.count()};
        ack.control_plane = script->control_plane;
        return ack;
      },
      [=](atom::heartbeat, const model::agent_heartbeat&) -> caf::result<model::heartbeat_ack> {
        if (script->silent) return unreachable();
        if (script->superseded) return newer();
        if (self->state.late.pending()) {
          model::hello_ack ack{{1}, boot_time{60s}.count(), boot_time{2s}.count()};
          ack.incarnation = late_incarnation;
          self->state.late.deliver(ack);
        }
        ++script->heartbeats;
        model::heartbeat_ack ack{{1}, boot_time{60s}.count(), false};
        ack.control_plane = script->control_plane;
        return ack;
      },
      [=](atom::report, const native::report_ptr& batch) -> caf::result<model::report_ack> {
        if (script->silent || !script->commits) return unreachable();
        for (const auto& report : batch->reports) script->reports.push_back(report);
        return model::report_ack{batch->reports.back().sequence};
      },
      [=](atom::goodbye, const model::agent_goodbye& goodbye) -> caf::result<atom::ok> {
        ++script->goodbyes;
        script->left.push_back(goodbye.incarnation);
        return atom::ok_v;
      },
  };
}

/// The incarnation of an agent whose store was made five seconds after the epoch.
inline constexpr model::incarnation own_incarnation{5'000'000'000};

struct executor_fixture : tests::asking_fixture {
  struct virtual_clock final : clock_source {
    explicit virtual_clock(executor_fixture* owner) : test(owner) {}
    wall_time wall() const override { return from_nanos(1'700'000'000'000'000'000) + boot(); }
    boot_time boot() const override {
      return test->scheduler.clock().now().time_since_epoch() + 100s;
    }
    executor_fixture* test;
  };

  executor_fixture() {
    session = system.spawn(session_behavior, script);
    static_cast<void>(trace::live_actors(system));
  }
  ~executor_fixture() override {
    caf::anon_send_exit(session, caf::exit_reason::kill);
    script->executor = nullptr;
    session = nullptr;
    executor = nullptr;
    store = nullptr;
  }

  void spawn(std::function<void(executor_actor_config&)> change = {}) {
    auto memory = load_executor(*database, "here");
    ASSERT_TRUE(memory);
    memory->facts.incarnation = own_incarnation;
    store = spawn_executor_store(system, {.database = database}, run_on::pool);
    executor_actor_config with;
    with.cluster = {"c", "default", "simulated", {}};
    with.memory = std::move(*memory);
    with.store = store;
    with.session = session;
    with.clock = &clock;
    with.make_backend =
        [this](backends::event_sink sink) -> result<std::unique_ptr<backends::backend>> {
      backends::simulated_config settings;
      settings.manual_time = true;
      settings.start = clock.boot();
      settings.nodes.push_back({"n", 2, {{"cpu", 1000}}, {}, {}});
      auto made = std::make_unique<backends::simulated_backend>(settings, std::move(sink));
      backend = made.get();
      return std::unique_ptr<backends::backend>{std::move(made)};
    };
    if (change) change(with);
    executor = spawn_executor(system, std::move(with));
    settle();
  }

  void kill_executor() {
    caf::anon_send_exit(executor, caf::exit_reason::kill);
    caf::anon_send_exit(store, caf::exit_reason::kill);
    settle();
  }

  /// Lets virtual time pass for actors and backend, in steps of a tenth of a second.
  void pass(std::chrono::milliseconds time) {
    for (auto done = 0ms; done < time; done += 100ms) {
      advance(100ms);
      if (backend != nullptr) backend->advance(clock.boot());
      settle();
    }
  }

  static model::start_run order(std::uint8_t job, const std::string& runtime = "1s") {
    log::v1::JobSpec spec;
    (*spec.mutable_annotations())["argosy.io/simRuntime"] = runtime;
    model::start_run out;
    out.node = "n-1";
    out.run.job.bytes[15] = job;
    out.run.number = 1;
    out.queue = "q";
    out.spec = std::make_shared<const std::string>(spec.SerializeAsString());
    return out;
  }

  /// Gives orders, for this agent unless they name another one. Returns the error, if there is one.
  std::optional<error> give(model::agent_orders orders) {
    if (orders.incarnation.is_zero()) orders.incarnation = own_incarnation;
    return refusal_of(
        executor, atom::orders_v,
        native::orders_ptr{std::make_shared<const model::agent_orders>(std::move(orders))});
  }

  std::vector<run_phase> reported() const {
    std::vector<run_phase> out;
    for (const auto& report : script->reports) out.push_back(report.phase);
    return out;
  }

  std::shared_ptr<session_script> script = std::make_shared<session_script>();
  std::shared_ptr<store::memory_database> database = std::make_shared<store::memory_database>();
  virtual_clock clock{this};
  cluster_session_actor session;
  executor_store_actor store;
  local_executor_actor executor;
  backends::simulated_backend* backend = nullptr;
};

}  // namespace argosy::actors
