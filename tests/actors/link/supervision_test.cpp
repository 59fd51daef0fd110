// SPDX-License-Identifier: Apache-2.0
// Goal: a process that must not lead any more says so once and ends whole; the JOURNAL keeps
// what it was given; deposed and older agents are told.
// Method: the control plane in virtual time, with the one thing that goes wrong done by hand.
#include <gmock/gmock.h>

#include <algorithm>
#include <caf/scoped_actor.hpp>

#include "actors/caf_error.hpp"
#include "actors/log/journal.hpp"
#include "actors/log/store.hpp"
#include "runtime/logging/logger.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct supervision : control_plane_test {
  supervision() {
    start();
    create_queue("a");
  }
  caf::strong_actor_ptr first(const std::string& type) {
    for (const auto& actor : trace::live_actors(system))
      if (actor.type == type) return actor.handle;
    return {};
  }
};

TEST_F(supervision, ends_whole_when_any_of_its_actors_ends) {
  int clusters = 0;
  for (const auto* type : {"argosy.queue", "argosy.cluster", "argosy.coordinator", "argosy.store",
                           "argosy.journal", "argosy.reader", "argosy.gateway", "argosy.leader"}) {
    if (!root) start();
    // A leader that has just started waits for the agent of a cluster that it knows.
    add_agent("c" + std::to_string(++clusters), {node_of("n", 1)});
    failures.clear();
    {
      const auto victim = first(type);
      ASSERT_TRUE(victim) << type;
      caf::anon_send_exit(victim, caf::exit_reason::kill);
    }
    settle();
    EXPECT_THAT(failures, SizeIs(1)) << type;
    root = nullptr;
    pass(5s);
    agents.back().kill();
    agents.pop_back();
    settle();
    EXPECT_EQ(actors_alive(), 0U) << type;
    server->close();
  }
}

TEST_F(supervision, claims_above_what_an_agent_has_seen_and_serves_it) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto before = epoch;
  agent->epoch_seen = {before + 5};
  agent.hello();
  pass();
  EXPECT_TRUE(failures.empty());
  ASSERT_THAT(agent->errors, SizeIs(1));
  EXPECT_EQ(agent->errors[0].code, ec::fenced);
  agent.hello();
  pass();
  EXPECT_TRUE(failures.empty());
  EXPECT_THAT(agent->errors, SizeIs(1)) << "served with a higher epoch";
  submit("a");
  pass();
  EXPECT_EQ(agent->epoch_seen.value, before + 6) << "orders are of the new epoch";
}

TEST_F(supervision, claims_above_its_own_epoch_if_an_agent_has_it_of_another_process) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto before = epoch;
  agent->epoch_seen = {before};
  agent->nonce_seen = {12'345};
  agent.hello();
  pass();
  ASSERT_THAT(agent->errors, SizeIs(1));
  EXPECT_EQ(agent->errors[0].code, ec::fenced);
  agent.hello();
  pass();
  EXPECT_THAT(agent->errors, SizeIs(1)) << "served with a higher epoch";
  EXPECT_TRUE(failures.empty());
  submit("a");
  pass();
  EXPECT_EQ(agent->epoch_seen.value, before + 1);
}

TEST_F(supervision, outlives_an_agent_that_tells_of_an_epoch_that_cannot_be) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  agent->epoch_seen = {~std::uint64_t{0}};
  for (int i = 0; i < 3; ++i) agent.hello();
  pass(5s);
  EXPECT_TRUE(failures.empty());
  ASSERT_THAT(agent->errors, SizeIs(3));
  EXPECT_EQ(agent->errors[2].code, ec::denied);
  auto& sound = add_agent("d", {node_of("n", 1)});
  EXPECT_EQ(sound->hellos, 1U);
}

TEST_F(supervision, refuses_an_agent_with_an_older_store) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto older = std::exchange(agent->cluster.incarnation, {});
  agent->take_over = true;
  agent.hello();
  pass();
  agent->cluster.incarnation = older;
  agent.hello();
  pass();
  ASSERT_THAT(agent->errors, SizeIs(1));
  EXPECT_EQ(agent->errors[0].code, ec::conflict);
  EXPECT_THAT(agent->errors[0].detail, HasSubstr("must not go on"));
  EXPECT_TRUE(failures.empty());
}

TEST_F(supervision, answers_a_repeated_hello_only_when_the_first_is_durable) {
  auto& agent = agents.emplace_back(system, model::cluster_info{"c", "default", "simulated", {}},
                                    std::vector{node_of("n", 1)});
  agent->cluster.process = {9};
  agent->root = root;
  log->set_broken(error{ec::unreachable, "no server"});
  agent.hello();
  settle();
  agent.hello();
  settle();
  EXPECT_EQ(agent->hellos, 0);
  log->set_broken({});
  pass(1s);
  EXPECT_EQ(agent->hellos, 2);
}

TEST_F(supervision, a_log_that_regressed_is_no_conflict_of_agents) {
  auto& agent = agents.emplace_back(system, model::cluster_info{"c", "default", "simulated", {}},
                                    std::vector{node_of("n", 1)});
  agent->root = root;
  log->set_broken(error{ec::conflict, "the log is shorter"});
  agent.hello();
  pass();
  ASSERT_THAT(agent->errors, SizeIs(1));
  EXPECT_EQ(agent->errors[0].code, ec::unavailable) << "another leader will take its hello";
}

TEST_F(supervision, stops_in_time_while_the_log_hangs) {
  log->set_broken(error{ec::unreachable, "no server"});
  client->request("argosy.api.Submit.SubmitJobs", make_submit("a").SerializeAsString(), {}, 60s,
                  [](const result<bus::frame>&) {});
  settle();
  stop();
  pass(5s);
  EXPECT_EQ(actors_alive(), 0U);
  log->set_broken({});
  start();
  EXPECT_EQ(epoch, 2U);
}

TEST_F(supervision, gives_the_output_of_a_run) {
  add_agent("c", {node_of("n", 1)});
  v1::ReadLogRequest request;
  request.set_job_id(submit("a").at(0));
  pass();
  const auto reply = ask<v1::ReadLogResponse>("Logs.Read", request);
  EXPECT_EQ(reply.data(), "hello\n");
  EXPECT_TRUE(reply.end());
  // The node is full, so that this job has not run yet and its output is still to come.
  request.set_job_id(submit("a").at(0));
  const auto none = ask<v1::ReadLogResponse>("Logs.Read", request);
  EXPECT_EQ(none.data(), "");
  EXPECT_FALSE(none.end());
}

/// A JOURNAL on its own, with the appends that a test makes and how they were answered.
struct journal : control_plane_test {
  void begin() {
    actors::store_config for_store;
    for_store.database = database;
    for_store.clock = &clock;
    for_store.load = load;
    store = actors::spawn_store(system, for_store, actors::run_on::pool);
    actors::journal_config with;
    with.log = log;
    with.key = log_key;
    with.store = store;
    with.clock = &clock;
    with.load = load;
    handle = actors::spawn_journal(system, with, actors::run_on::pool);
    settle();
  }
  ~journal() override {
    store = nullptr;
    handle = nullptr;
  }

  static native::append_ptr entry() {
    auto out = std::make_shared<native::append_request>();
    out->events.push_back({1, {}, model::cluster_left{"c", std::string(1'000, 'x')}});
    return out;
  }

  const std::shared_ptr<eventlog::log_load> load = std::make_shared<eventlog::log_load>(1 << 20);
  actors::store_actor store;
  actors::journal_actor handle;
};

TEST_F(journal, keeps_whatever_came_while_the_log_took_nothing) {
  begin();
  log->set_broken(error{ec::unreachable, "no server"});
  caf::scoped_actor asker{system};
  constexpr int total = 20;
  for (int i = 0; i < total; ++i) asker->send(handle, atom::append_v, entry());
  advance(90s);
  int kept = 0;
  const auto drain = [&] {
    bool more = true;
    while (more)
      asker->receive(
          [&](const native::append_ack&) { ++kept; },
          [&](const caf::error& err) { ADD_FAILURE() << to_string(actors::from_caf(err)); },
          caf::after(0s) >> [&] { more = false; });
  };
  drain();
  EXPECT_EQ(kept, 0);
  log->set_broken({});
  advance(1s);
  drain();
  EXPECT_EQ(kept, total);
}

TEST_F(journal, says_seldom_that_the_log_is_full_and_once_that_it_has_room_again) {
  const auto warnings = [] {
    return logging::line_counts()[static_cast<std::size_t>(logging::level::warning)];
  };
  const auto errors = [] {
    return logging::line_counts()[static_cast<std::size_t>(logging::level::error)];
  };
  begin();
  log->set_broken(error{ec::out_of_space, "no room"});
  const auto warned = warnings();
  const auto failed = errors();
  caf::scoped_actor asker{system};
  asker->send(handle, atom::append_v, entry());
  advance(60s);
  EXPECT_GE(warnings() - warned, 6U) << "it is said at once and again every 10 s";
  EXPECT_LE(warnings() - warned, 7U);
  EXPECT_EQ(errors() - failed, 1U) << "that the log is full is said once";
  const auto before = warnings();
  log->set_broken({});
  advance(60s);
  EXPECT_EQ(warnings() - before, 1U) << "that it has room again is said once";
  asker->receive([](const native::append_ack&) {}, [](const caf::error&) { ADD_FAILURE(); });
}

TEST_F(journal, keeps_out_of_the_tail_what_the_log_cannot_hold_until_it_can) {
  begin();
  auto huge = std::make_shared<native::append_request>();
  huge->events.push_back(
      {1, {}, model::cluster_left{"c", std::string(log->max_record_bytes(), 'x')}});
  caf::scoped_actor asker{system};
  asker->send(handle, atom::append_v, native::append_ptr{huge});
  advance(1s);
  const auto recovered = recover_state();
  EXPECT_TRUE(recovered) << recovered.error().detail;
  log->set_max_record_bytes(16u << 20);
  advance(1s);
  asker->receive([](const native::append_ack&) {}, [](const caf::error&) { ADD_FAILURE(); });
}

TEST_F(journal, writes_what_gathered_meanwhile_as_one_batch) {
  begin();
  log->fail_next_append({ec::unreachable, "no server"}, false);
  caf::scoped_actor asker{system};
  asker->send(handle, atom::append_v, entry());
  settle();
  for (int i = 0; i < 10; ++i) asker->send(handle, atom::append_v, entry());
  advance(1s);
  EXPECT_EQ(log->info()->last_position.value, 2U);
}

}  // namespace argosy::tests
