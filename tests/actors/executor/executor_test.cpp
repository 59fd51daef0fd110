// SPDX-License-Identifier: Apache-2.0
// Goal: the EXECUTOR writes before it acts, keeps speaking to its CLUSTER, and survives the loss of
// either the CLUSTER or itself.
// Method: the deterministic scheduler, a simulated backend on the same virtual time, a store in
// memory, and a CLUSTER that notes what it hears and answers as it is told.
#include "actors/agent/executor.hpp"

#include <gtest/gtest.h>

#include "actors/caf_error.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/trace/caf/traced.hpp"
#include "tests/actors/executor/asking_fixture.hpp"

namespace argosy::actors {

namespace {

using model::run_phase;
using namespace std::chrono_literals;

/// What the CLUSTER of the test heard, and how it answers.
struct session_script {
  std::vector<model::agent_hello> hellos;
  std::vector<model::run_report> reports;
  int heartbeats = 0;
  int goodbyes = 0;
  bool silent = false;
  bool answers_lost = false;  ///< The answers to hellos are lost.
  bool commits = true;
  bool superseded = false;  ///< Another agent has said hello.
  executor_actor executor;
};

struct session_state {
  explicit session_state(caf::stateful_actor<session_state, cluster_session_actor::base>*) {}
  std::shared_ptr<session_script> script;
};

cluster_session_actor::behavior_type session_behavior(
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
        return model::hello_ack{1, boot_time{60s}.count(), boot_time{2s}.count()};
      },
      [=](atom::heartbeat, const model::agent_heartbeat&) -> caf::result<model::heartbeat_ack> {
        if (script->silent) return unreachable();
        if (script->superseded) return newer();
        ++script->heartbeats;
        return model::heartbeat_ack{1, boot_time{60s}.count(), false};
      },
      [=](atom::report, const native::report_ptr& batch) -> caf::result<model::report_ack> {
        if (script->silent || !script->commits) return unreachable();
        for (const auto& report : batch->reports) script->reports.push_back(report);
        return model::report_ack{batch->reports.back().sequence};
      },
      [=](atom::nodes, const native::nodes_ptr&) -> caf::result<atom::ok> { return atom::ok_v; },
      [=](atom::goodbye, const model::agent_goodbye&) -> caf::result<atom::ok> {
        ++script->goodbyes;
        return atom::ok_v;
      },
  };
}

/// The incarnation of an agent whose store was made five seconds after the epoch.
constexpr std::uint64_t own_incarnation = 5'000'000'000;

/// A backend that has no runs, and whose nodes come and go.
struct changing_nodes final : backends::backend {
  std::string name() const override { return "changing"; }
  model::plan_contents wanted_plan() const override { return model::plan_contents::annotations; }
  result<std::vector<model::run_event>> adopt(const std::vector<model::run_key>&) override {
    return std::vector<model::run_event>{};
  }
  void start(backends::run_launch) override {}
  void stop(const model::stop_run&, std::chrono::nanoseconds) override {}
  void stop_all(const std::string&) override {}
  void renew(const model::run_lease&) override {}
  void forget(const model::run_key&) override {}
  std::vector<model::node_info> nodes() const override { return now; }
  void on_nodes_changed(std::function<void()> told) override { tell = std::move(told); }
  void read_log(const model::log_request&, backends::log_taker take) const override {
    readers.push_back(std::move(take));
  }
  void shutdown() override {}

  mutable std::vector<backends::log_taker> readers;
  std::vector<model::node_info> now{{"n-1", {}, {}, {}, {}, false}};
  std::function<void()> tell;
};

struct executor_test : tests::asking_fixture {
  struct virtual_clock final : clock_source {
    explicit virtual_clock(executor_test* owner) : test(owner) {}
    wall_time wall() const override { return from_nanos(1'700'000'000'000'000'000) + boot(); }
    boot_time boot() const override {
      return test->scheduler.clock().now().time_since_epoch() + 100s;
    }
    executor_test* test;
  };

  executor_test() {
    session = system.spawn(session_behavior, script);
    static_cast<void>(trace::live_actors(system));
  }
  ~executor_test() override {
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
    with.cluster = {"c", "default", "simulated", 0};
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
    if (orders.incarnation == 0) orders.incarnation = own_incarnation;
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

}  // namespace

TEST_F(executor_test, says_hello_and_renews) {
  bool ready = false;
  spawn([&](auto& with) { with.on_ready = [&] { ready = true; }; });
  EXPECT_TRUE(ready);
  ASSERT_EQ(script->hellos.size(), 1u);
  EXPECT_EQ(script->hellos[0].cluster.incarnation, own_incarnation);
  EXPECT_EQ(script->hellos[0].nodes.size(), 2u);
  pass(10s);
  EXPECT_EQ(script->heartbeats, 5);
  EXPECT_EQ(script->hellos.size(), 1u);
}

TEST_F(executor_test, tells_of_nodes_that_have_come_at_once) {
  changing_nodes* changing = nullptr;
  spawn([&](executor_actor_config& with) {
    with.make_backend = [&](backends::event_sink) -> result<std::unique_ptr<backends::backend>> {
      auto made = std::make_unique<changing_nodes>();
      changing = made.get();
      return std::unique_ptr<backends::backend>{std::move(made)};
    };
  });
  ASSERT_EQ(script->hellos.size(), 1U);
  EXPECT_EQ(script->hellos.back().nodes.size(), 1U);
  changing->now.push_back({"n-2", {}, {}, {}, {}, false});
  changing->tell();
  settle();
  ASSERT_EQ(script->hellos.size(), 2U);
  EXPECT_EQ(script->hellos.back().nodes.size(), 2U);
  const auto tell = changing->tell;
  kill_executor();
  tell();
}

TEST_F(executor_test, goes_on_while_its_backend_reads_output) {
  changing_nodes* slow = nullptr;
  spawn([&](executor_actor_config& with) {
    with.make_backend = [&](backends::event_sink) -> result<std::unique_ptr<backends::backend>> {
      auto made = std::make_unique<changing_nodes>();
      slow = made.get();
      return std::unique_ptr<backends::backend>{std::move(made)};
    };
  });
  caf::scoped_actor asker{system};
  asker->send(executor, atom::read_log_v, model::log_request{});
  asker->send(executor, atom::read_log_v, model::log_request{});
  settle();
  ASSERT_EQ(slow->readers.size(), 2U) << "the first question holds up nothing";
  slow->readers[1](fail(ec::not_found, "gone"));
  slow->readers[0](model::log_chunk{"hello", 5, false});
  settle();
  std::vector<std::string> answers;
  for (int i = 0; i < 2; ++i)
    asker->receive([&](const native::log_chunk_ptr& chunk) { answers.push_back(chunk->data); },
                   [&](const caf::error& why) { answers.push_back(from_caf(why).detail); },
                   caf::after(0s) >> [] {});
  EXPECT_EQ(answers, (std::vector<std::string>{"gone", "hello"}));
}

TEST_F(executor_test, runs_a_job_and_reports_each_phase_once) {
  spawn();
  EXPECT_EQ(give({1, {order(1)}, {}}), std::nullopt);
  EXPECT_EQ(give({1, {order(1)}, {}}), std::nullopt);
  pass(3s);
  EXPECT_EQ(reported(),
            (std::vector{run_phase::pending, run_phase::running, run_phase::succeeded}));
  EXPECT_EQ(script->reports[2].sequence, 3u);
  EXPECT_EQ(script->reports[2].queue, "q");
}

TEST_F(executor_test, refuses_orders_of_a_lower_epoch) {
  spawn();
  EXPECT_EQ(give({3, {}, {}}), std::nullopt);
  const auto refused = give({2, {order(1)}, {}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::fenced);
}

TEST_F(executor_test, leaves_orders_for_another_agent_of_its_name_alone) {
  spawn();
  const auto refused = give({1, {order(1)}, {}, 0, own_incarnation + 1});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::conflict);
  pass(2s);
  EXPECT_TRUE(script->reports.empty());
}

TEST_F(executor_test, ends_when_its_lease_has_lapsed_if_another_agent_took_its_name) {
  std::optional<error> failure;
  spawn([&](auto& with) {
    with.on_failure = [&](const error& why) {
      failure = why;
      backend = nullptr;
    };
  });
  give({1, {order(1, "1h")}, {}});
  pass(1s);
  script->superseded = true;
  pass(50s);
  EXPECT_EQ(script->heartbeats, 0) << "it has been told";
  EXPECT_FALSE(failure) << "its lease of a minute has not lapsed";
  const auto refused = give({1, {order(2)}, {}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::conflict);
  pass(12s);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ec::conflict);
  EXPECT_NE(failure->detail.find("give each agent a cluster name of its own"), std::string::npos)
      << failure->detail;
  EXPECT_EQ(script->goodbyes, 0);
  EXPECT_EQ(reported(), (std::vector{run_phase::pending, run_phase::running}));
}

TEST_F(executor_test, ends_at_once_if_nothing_runs_when_another_agent_took_its_name) {
  std::optional<error> failure;
  script->superseded = true;
  spawn([&](auto& with) { with.on_failure = [&](const error& why) { failure = why; }; });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ec::conflict);
  EXPECT_TRUE(script->hellos.empty());
}

TEST_F(executor_test, starts_nothing_that_it_cannot_record) {
  std::optional<error> failure;
  spawn([&](auto& with) { with.on_failure = [&](const error& why) { failure = why; }; });
  database->fail_next_commit({ec::out_of_space, "full"});
  const auto refused = give({1, {order(1)}, {}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::out_of_space);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ec::out_of_space);
  EXPECT_TRUE(script->reports.empty());
}

TEST_F(executor_test, keeps_reports_until_the_control_plane_is_back) {
  spawn();
  give({1, {order(1)}, {}});
  script->silent = true;
  pass(5s);
  EXPECT_TRUE(script->reports.empty());
  script->silent = false;
  pass(3s);
  EXPECT_EQ(script->hellos.size(), 2u);
  EXPECT_EQ(reported(),
            (std::vector{run_phase::pending, run_phase::running, run_phase::succeeded}));
}

TEST_F(executor_test, reports_after_its_own_death_what_was_left) {
  script->commits = false;
  spawn();
  give({1, {order(1), order(2, "1h")}, {}});
  pass(3s);
  kill_executor();
  script->commits = true;
  spawn();
  pass(1s);
  ASSERT_EQ(script->hellos.size(), 2u);
  EXPECT_EQ(script->hellos[1].cluster.incarnation, own_incarnation);
  EXPECT_EQ(script->hellos[1].runs.size(), 2u);
  ASSERT_EQ(script->reports.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(script->reports[i].sequence, i + 1);
  EXPECT_EQ(script->reports[4].phase, run_phase::succeeded);
  EXPECT_EQ(script->reports[5].phase, run_phase::refused);
  EXPECT_EQ(script->reports[5].run, order(2).run);
}

TEST_F(executor_test, stops_a_run) {
  spawn();
  give({1, {order(1, "1h")}, {}});
  pass(1s);
  model::stop_run stop;
  stop.run = order(1).run;
  stop.cause = model::stop_cause::cancel;
  stop.reason = "enough";
  give({1, {}, {stop}});
  pass(1s);
  EXPECT_EQ(script->reports.back().phase, run_phase::stopped);
  EXPECT_EQ(script->reports.back().outcome.message, "enough");
}

TEST_F(executor_test, refuses_a_specification_that_does_not_decode) {
  spawn();
  auto broken = order(1);
  broken.spec = std::make_shared<const std::string>("\xff\xff\xff");
  give({1, {broken}, {}});
  pass(1s);
  ASSERT_EQ(script->reports.size(), 1u);
  EXPECT_EQ(script->reports[0].phase, run_phase::refused);
}

TEST_F(executor_test, leaves_with_a_goodbye_and_lets_runs_be) {
  spawn();
  give({1, {order(1, "1h")}, {}});
  pass(1s);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
  settle();
  EXPECT_EQ(script->goodbyes, 1);
  for (const auto& report : script->reports) EXPECT_FALSE(is_final(report.phase));
}

TEST_F(executor_test, says_goodbye_though_its_hello_was_not_answered) {
  script->answers_lost = true;
  spawn();
  settle();
  ASSERT_EQ(script->hellos.size(), 1u);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
  settle();
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(executor_test, stops_its_runs_first_when_asked) {
  spawn();
  give({1, {order(1, "1h")}, {}});
  pass(1s);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  settle();
  EXPECT_EQ(script->goodbyes, 0);
  backend->advance(clock.boot());
  settle();
  EXPECT_EQ(script->reports.back().phase, run_phase::stopped);
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(executor_test, starts_nothing_while_it_stops_its_runs) {
  script->answers_lost = true;
  spawn();
  give({1, {order(1, "1h")}, {}});
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  settle();
  script->answers_lost = false;
  pass(1900ms);
  EXPECT_EQ(reported(), std::vector{run_phase::refused});
  EXPECT_EQ(script->goodbyes, 1) << "there is nothing to wait for";
}

TEST_F(executor_test, starts_no_run_whose_record_was_under_way_when_it_stopped) {
  spawn();
  const model::agent_orders orders{1, {order(1, "1h")}, {}, 0, own_incarnation};
  caf::anon_send(executor, atom::orders_v,
                 native::orders_ptr{std::make_shared<const model::agent_orders>(orders)});
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  settle();
  EXPECT_EQ(reported(), std::vector{run_phase::refused});
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(executor_test, does_not_wait_for_ever_for_its_runs) {
  spawn([](auto& with) { with.stop_deadline = 2s; });
  script->commits = false;
  give({1, {order(1, "1h")}, {}});
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  advance(1s);
  EXPECT_EQ(script->goodbyes, 0);
  advance(2s);
  EXPECT_EQ(script->goodbyes, 1);
}

}  // namespace argosy::actors
