// SPDX-License-Identifier: Apache-2.0
// Goal: what has ended leaves the store after its time, what has not ended stays, and every replica
// forgets the same. Method: a control plane in virtual time with short retention; the tables are
// counted; a second store is rebuilt from the log and compared.
#include <gmock/gmock.h>

#include <caf/scoped_actor.hpp>
#include <optional>

#include "messages/proto/api/event.pb.h"
#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using store::table;
using namespace std::chrono_literals;

struct retention : control_plane_test {
  retention() { begin(); }

  /// Begins with events kept for 60 s, ended jobs for 120 s, and client ids for 180 s.
  void begin() {
    start([](actors::root_config& with) {
      with.retention.events = 60s;
      with.retention.jobs = 120s;
      with.retention.client_ids = 180s;
      with.rules.queue_rules.client_id_retention_ns = std::chrono::nanoseconds{180s}.count();
    });
  }

  std::vector<std::string> keys(table in) {
    std::vector<std::string> out;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry& entry) {
      out.emplace_back(entry.key);
      return true;
    }));
    return out;
  }
  std::size_t size(table in) { return keys(in).size(); }

  /// How many client ids the QUEUE of the only queue knows.
  double client_ids_in_memory() {
    double out = -1;
    for (const auto& actor : trace::live_actors(system)) {
      if (actor.type != "argosy.queue") continue;
      caf::scoped_actor self{system};
      const auto to = caf::actor_cast<actors::queue_actor>(actor.handle);
      auto asked = self->request(to, 1s, atom::status_v, atom::figures_v);
      settle();
      asked.receive(
          [&](const metrics::figure_list& figures) {
            for (const auto& figure : figures)
              if (figure.name == "client ids") out = std::get<double>(figure.value);
          },
          [](const caf::error&) {});
    }
    return out;
  }

  /// Makes a job that runs and succeeds.
  std::string ended_job(scripted_agent& agent, const std::string& client_id = "") {
    const auto id = submit("a", {.client_id = client_id}).at(0);
    pass();
    agent.end(id, run_phase::succeeded);
    pass();
    EXPECT_EQ(job(id).state(), api::SUCCEEDED);
    return id;
  }
};

TEST_F(retention, events_then_jobs_then_client_ids_go) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto id = ended_job(agent, "x");
  EXPECT_GE(size(table::events), 3U);
  EXPECT_EQ(size(table::jobs_done), 1U);

  pass(50s);
  EXPECT_GE(size(table::events), 3U);
  pass(20s);
  EXPECT_EQ(size(table::events), 0U);
  EXPECT_EQ(job(id).state(), api::SUCCEEDED);

  pass(60s);
  EXPECT_EQ(size(table::jobs_done), 0U);
  EXPECT_EQ(size(table::specs), 0U);
  EXPECT_EQ(size(table::job_sets), 0U);
  EXPECT_TRUE(jobs("a").empty());
  EXPECT_EQ(size(table::client_ids), 1U);
  EXPECT_EQ(submit("a", {.client_id = "x"}).at(0), id);

  pass(60s);
  EXPECT_EQ(size(table::client_ids), 0U);
  EXPECT_NE(submit("a", {.client_id = "x"}).at(0), id);
}

TEST_F(retention, what_has_not_ended_stays) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto running = submit("a").at(0);
  pass();
  const auto queued = submit("a").at(0);
  pass(400s);
  EXPECT_EQ(job(running).state(), api::RUNNING);
  EXPECT_EQ(job(queued).state(), api::QUEUED);
  EXPECT_FALSE(describe(queued).details().job_spec().pod_spec().containers().empty());
  agent.end(running, run_phase::succeeded);
  pass();
  agent.end(queued, run_phase::succeeded);
  pass();
  // The age of a job counts from its end.
  pass(100s);
  EXPECT_EQ(job(running).state(), api::SUCCEEDED);
  pass(40s);
  EXPECT_TRUE(jobs("a").empty());
}

TEST_F(retention, a_job_set_without_events_can_be_watched_while_it_has_jobs) {
  create_queue("a");
  submit("a", {.cpu = "900"});
  pass(70s);
  ASSERT_EQ(size(table::events), 0U);
  for (const std::string job_set : {"set", "other"}) {
    api::JobSetRequest request;
    request.set_queue("a");
    request.set_id(job_set);
    request.set_errorifmissing(true);
    std::optional<result<void>> end;
    bus::stream_events events;
    events.on_end = [&](result<void> how) { end = std::move(how); };
    const auto stream = client->open_stream("argosy.api.Event.GetJobSetEvents",
                                            request.SerializeAsString(), {}, {}, std::move(events));
    pass();
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->has_value(), job_set == "set");
  }
}

TEST_F(retention, a_client_id_that_is_used_again_lives_on) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto first = ended_job(agent, "x");
  pass(182s);
  const auto second = ended_job(agent, "x");
  EXPECT_NE(first, second);
  pass(100s);
  EXPECT_EQ(size(table::client_ids), 1U);
  EXPECT_EQ(submit("a", {.client_id = "x"}).at(0), second);
}

TEST_F(retention, client_ids_leave_the_memory_of_a_queue_that_nobody_uses) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  for (int i = 0; i < 5; ++i) ended_job(agent, "x" + std::to_string(i));
  EXPECT_EQ(client_ids_in_memory(), 5);
  pass(20min);
  EXPECT_EQ(client_ids_in_memory(), 0);
  EXPECT_EQ(size(table::client_ids), 0U);
  EXPECT_EQ(size(table::history), 0U);
}

TEST_F(retention, a_store_rebuilt_from_the_log_holds_the_same) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  ended_job(agent, "x");
  pass(70s);
  ended_job(agent, "y");
  pass(70s);
  ended_job(agent, "z");
  stop();
  const std::vector<table> tables{table::events,  table::jobs_done, table::jobs_live,
                                  table::specs,   table::job_sets,  table::client_ids,
                                  table::history, table::rounds};
  std::vector<std::vector<std::string>> before;
  for (const auto in : tables) before.push_back(keys(in));
  EXPECT_EQ(size(table::jobs_done), 2U);
  database = std::make_shared<store::memory_database>();
  ASSERT_TRUE(recover_state());
  for (std::size_t i = 0; i < tables.size(); ++i)
    EXPECT_EQ(keys(tables[i]), before[i]) << store::to_string(tables[i]);
}

TEST_F(retention, a_large_clearance_goes_in_parts) {
  create_queue("a");
  // These are more records than one event of expiry takes.
  for (int i = 0; i < 4; ++i) submit("a", {.count = 2'000, .cpu = "900"});
  api::JobSetCancelRequest request;
  request.set_queue("a");
  request.set_job_set_id("set");
  ASSERT_TRUE(call("Submit.CancelJobSet", request));
  pass();
  EXPECT_EQ(size(table::jobs_done), 8'000U);
  const auto end = log->info()->last_position;
  pass(200s);
  EXPECT_EQ(size(table::events), 0U);
  EXPECT_EQ(size(table::jobs_done), 0U);
  EXPECT_EQ(size(table::history), 0U);
  EXPECT_GE(log->info()->last_position, end + 4);
}

TEST_F(retention, an_idle_system_writes_nothing_for_it) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  ended_job(agent);
  pass(400s);
  const auto end = log->info()->last_position;
  pass(400s);
  EXPECT_EQ(log->info()->last_position, end);
}

}  // namespace argosy::tests
