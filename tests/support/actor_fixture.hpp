// SPDX-License-Identifier: Apache-2.0
// Base of the tests that run actors on CAF's deterministic scheduler, in the test's own thread and
// in virtual time. Actors spawned `detached` would escape to real threads: spawn them pooled here.
#pragma once

#include <gtest/gtest.h>

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/caf/traced.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::tests {

/// Configures the deterministic scheduler; derive from it to add message types.
struct deterministic_config : caf::actor_system_config {
  deterministic_config() {
    config_file_path.clear();
    set("scheduler.policy", caf::atom("testing"));
  }
};

template <class Config = deterministic_config>
class basic_actor_fixture : public ::testing::Test {
 protected:
  basic_actor_fixture()
      : system(config),
        scheduler(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())) {
    trace::reset();
  }

  ~basic_actor_fixture() override { kill_all(); }

  /// Runs every message that can run without time passing. A system that never comes to rest fails
  /// the test after `messages_max`.
  void settle() {
    constexpr std::size_t messages_max = 10'000'000;
    for (std::size_t i = 0; i < messages_max; ++i)
      if (!run_one()) return;
    FAIL() << "the actors did not come to rest after " << messages_max << " steps";
  }

  /// Runs one message of an actor that is not held.
  bool run_one() {
    std::erase_if(scheduler.jobs, [this](caf::resumable* job) {
      const auto found = held_.find(job);
      if (found == held_.end()) return false;
      found->second = true;
      return true;
    });
    return scheduler.try_run_once();
  }

  /// The actor does nothing from now on, as if a message kept it busy, and then goes on.
  template <class Handle>
  void hold(const Handle& actor) {
    held_[job_of(actor)] = false;
  }
  template <class Handle>
  void let_go_on(const Handle& actor) {
    const auto found = held_.find(job_of(actor));
    if (found == held_.end()) return;
    if (found->second) scheduler.jobs.push_back(found->first);
    held_.erase(found);
  }

  /// Lets virtual time pass, timer by timer, so that a periodic timer fires as often as it would.
  void advance(std::chrono::nanoseconds duration) {
    settle();
    auto& clock = scheduler.clock();
    const auto end = clock.now() + duration;
    while (clock.now() < end) {
      const auto& schedule = clock.schedule();
      auto next = end;
      if (!schedule.empty() && schedule.begin()->first < end) next = schedule.begin()->first;
      if (next < clock.now()) next = clock.now();
      // A timer that is due fires with a step of zero; otherwise time moves on to the next one.
      scheduler.advance_time(next - clock.now());
      settle();
      if (next == end) break;
    }
  }

  /// Ends every traced actor that is alive; called at the end of a test. An actor that survives
  /// would hang the system's destructor, so that the test program stops with its name instead.
  void kill_all() {
    for (const auto& [job, is_due] : std::exchange(held_, {}))
      if (is_due) scheduler.jobs.push_back(job);
    for (int round = 0; round < 100 && system.registry().running() > 0; ++round) {
      for (const auto& actor : trace::live_actors(system))
        caf::anon_send_exit(actor.handle, caf::exit_reason::kill);
      settle();
    }
    if (system.registry().running() == 0) return;
    std::fprintf(stderr, "%zu actors survived the test:", system.registry().running());
    for (const auto& actor : trace::live_actors(system))
      std::fprintf(stderr, " %s", actor.type.c_str());
    std::fprintf(stderr, "\n");
    std::abort();
  }

  /// The state of an actor spawned from a function that takes traced_pointer<Interface, State>.
  template <class State, class Interface>
  State& state_of(const Interface& handle) {
    using pointer = trace::traced_pointer<Interface, State>;
    return caf::actor_cast<pointer>(handle)->state;
  }

  Config config;
  caf::actor_system system;
  caf::scheduler::test_coordinator& scheduler;

 private:
  template <class Handle>
  static caf::resumable* job_of(const Handle& actor) {
    return dynamic_cast<caf::resumable*>(caf::actor_cast<caf::abstract_actor*>(actor));
  }

  std::map<caf::resumable*, bool> held_;  ///< Those that are held, and whether they have work.
};

using actor_fixture = basic_actor_fixture<>;

}  // namespace argosy::tests
