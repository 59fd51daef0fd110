// SPDX-License-Identifier: Apache-2.0
// Goal: what was answered survives every way of stopping, and no run is begun twice.
// Method: the control plane is stopped or killed and started again over the same log and store; the
// log loses what a power cut would take; another leader writes.
#include <gmock/gmock.h>

#include <optional>

#include "messages/codec/log/log_codec.hpp"
#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct restart : control_plane_test {
  restart() { start(); }

  model::log_position log_end() { return log->info()->last_position; }

  /// Another process takes the lead behind this one's back.
  void write_as_other_leader() {
    model::log_batch batch;
    batch.epoch = {epoch + 1};
    batch.number = 1;
    batch.previous_hash = codec::batch_hash(log->get(log_end())->data);
    batch.events.push_back({1, {}, model::leader_elected{{epoch + 1}, "other"}});
    auto bytes = codec::encode_batch(batch);
    log_key->sign(bytes);
    ASSERT_TRUE(log->append(log_end(), std::to_string(epoch + 1) + ".1", bytes));
  }

  /// What lasts of the jobs. That is neither why jobs wait, which only the last round of a process
  /// knows, nor the contact to agents, which have not found the new process yet.
  std::vector<std::string> lasting(const std::string& queue) {
    std::vector<std::string> out;
    for (auto& one : jobs(queue)) {
      if (one.state() == api::QUEUED) {
        one.clear_reason();
        one.clear_reason_code();
      }
      one.clear_cluster_silent();
      one.clear_cluster_heard_ns();
      out.push_back(one.SerializeAsString());
    }
    return out;
  }
};

TEST_F(restart, stopped_in_order_keeps_queues_jobs_and_runs) {
  create_queue("a", 3);
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto ids = submit("a", {.count = 3});
  pass();
  const auto before = lasting("a");
  stop();
  EXPECT_EQ(actors_alive(), 0U);
  start();
  EXPECT_EQ(epoch, 2U);
  ASSERT_THAT(before, SizeIs(3));
  EXPECT_EQ(lasting("a"), before);
  api::QueueGetRequest asked;
  asked.set_name("a");
  EXPECT_EQ(ask<api::Queue>("Submit.GetQueue", asked).priority_factor(), 3);
  reconnect_agents();
  EXPECT_EQ(count("a", api::RUNNING), 2);
  for (const auto& id : ids) EXPECT_LE(agent.begun(id), 1);
  EXPECT_EQ(nodes().at("c/n").runs(), 2U);
  const auto running = to_string(agent->live.begin()->first.job);
  agent.end(running, run_phase::succeeded);
  pass();
  EXPECT_EQ(job(running).state(), api::SUCCEEDED);
  EXPECT_EQ(count("a", api::RUNNING), 2);
}

TEST_F(restart, makes_other_ids_from_the_same_seed_in_the_same_millisecond) {
  create_queue("a");
  const auto before = submit("a");
  crash();
  start();
  const auto after = submit("a");
  EXPECT_EQ(parse_ulid(after[0])->unix_millis(), parse_ulid(before[0])->unix_millis());
  EXPECT_NE(after, before);
}

TEST_F(restart, killed_keeps_what_was_answered) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto ids = submit("a", {.count = 2, .client_id = ""});
  pass();
  const auto late = submit("a", {.cpu = "8", .client_id = "x"});
  crash();
  start();
  ASSERT_THAT(jobs("a"), SizeIs(3));
  EXPECT_EQ(submit("a", {.cpu = "8", .client_id = "x"}), late);
  reconnect_agents();
  for (const auto& id : ids) {
    EXPECT_EQ(job(id).state(), api::RUNNING);
    EXPECT_EQ(agent.begun(id), 1);
  }
}

TEST_F(restart, takes_no_work_to_a_cluster_that_has_not_spoken_yet) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  crash();
  start();
  const auto id = submit("a").at(0);
  pass(3s);
  EXPECT_EQ(job(id).state(), api::QUEUED);
  EXPECT_EQ(nodes().at("c/n").state(), "silent");
  reconnect_agents();
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(agent.begun(id), 1);
}

TEST_F(restart, lease_whose_order_was_lost_is_ordered_again_once) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  agent->silent = true;
  const auto id = submit("a").at(0);
  pass();
  EXPECT_EQ(job(id).state(), api::LEASED);
  crash();
  start();
  agent->silent = false;
  reconnect_agents();
  pass(10s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(agent.begun(id), 1);
  EXPECT_EQ(job(id).run(), 1U);
}

TEST_F(restart, end_of_a_run_while_nobody_led_is_taken) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto id = submit("a").at(0);
  pass();
  crash();
  agent->connected = false;
  agent.end(id, run_phase::succeeded);
  settle();
  start();
  EXPECT_EQ(job(id).state(), api::RUNNING);
  reconnect_agents();
  EXPECT_EQ(job(id).state(), api::SUCCEEDED);
  EXPECT_EQ(agent.begun(id), 1);
}

TEST_F(restart, client_ids_of_a_deleted_queue_are_kept) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto first = submit("a", {.client_id = "x"});
  pass();
  agent.end(first[0], run_phase::succeeded);
  pass();
  api::QueueDeleteRequest gone;
  gone.set_name("a");
  ASSERT_TRUE(call("Submit.DeleteQueue", gone));
  stop();
  start();
  EXPECT_FALSE(call("Submit.SubmitJobs", make_submit("a", {.client_id = "x"})));
  create_queue("a");
  EXPECT_EQ(submit("a", {.client_id = "x"}), first);
}

TEST_F(restart, log_that_lost_its_end_is_written_again_from_the_tail) {
  create_queue("a");
  const auto ids = submit("a", {.count = 2});
  submit("a");
  crash();
  const auto end = log_end();
  log->lose_tail(2);
  auto state = recover_state();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->republished_batches, 2U);
  EXPECT_EQ(log_end(), end);
  start();
  EXPECT_THAT(jobs("a"), SizeIs(3));
  EXPECT_EQ(epoch, 2U);
}

TEST_F(restart, log_that_is_gone_is_written_again_from_the_tail) {
  create_queue("a");
  submit("a");
  stop();
  const auto end = log_end();
  log->remove();
  ASSERT_TRUE(log->create());
  start();
  EXPECT_EQ(log_end(), end + 1);  // The end of the log moved by the new claim alone.
  EXPECT_THAT(jobs("a"), SizeIs(1));
}

TEST_F(restart, a_tail_that_does_not_reach_back_begins_a_new_generation) {
  create_queue("a");
  submit("a");
  stop();
  {
    auto txn = database->begin_write();
    ASSERT_TRUE(txn);
    for (model::log_position position{1}; position <= log_end(); ++position)
      ASSERT_TRUE((*txn)->erase(store::table::tail, store::number_key(position.value)));
    ASSERT_TRUE((*txn)->commit());
  }
  log->lose_tail(1);
  start();
  EXPECT_EQ(log->generations().value().back().value, 2U);
  EXPECT_THAT(jobs("a"), SizeIs(1));
  submit("a");
  EXPECT_THAT(jobs("a"), SizeIs(2));
  crash();
  start();
  EXPECT_THAT(jobs("a"), SizeIs(2));
}

TEST_F(restart, log_of_somebody_else_refuses_to_run) {
  create_queue("a");
  stop();
  log->damage(log_end(), [](std::string& data) { data.back() ^= 1; });
  const auto state = recover_state();
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
}

TEST_F(restart, deposed_leader_stands_down_and_keeps_nothing) {
  create_queue("a");
  submit("a", {.client_id = "kept"});
  write_as_other_leader();
  EXPECT_FALSE(call("Submit.SubmitJobs", make_submit("a", {.client_id = "lost"})));
  settle();
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_EQ(actors_alive(), 0U);
  server->close();
  start();
  EXPECT_EQ(epoch, 3U);
  EXPECT_THAT(jobs("a"), SizeIs(1));
}

TEST_F(restart, batch_that_was_overtaken_does_not_come_back_from_the_tail) {
  create_queue("a");
  submit("a", {.client_id = "kept"});
  write_as_other_leader();
  const auto overtaken = log_end();
  EXPECT_FALSE(call("Submit.SubmitJobs", make_submit("a", {.client_id = "lost"})));
  server->close();
  start();
  submit("a", {.client_id = "later"});
  stop();
  log->lose_tail(log_end() - overtaken + 1);
  start();
  EXPECT_THAT(jobs("a"), SizeIs(2));
  // A new store folds the log from its beginning, and must come to the same.
  stop();
  database = std::make_shared<store::memory_database>();
  start();
  EXPECT_THAT(jobs("a"), SizeIs(2));
}

TEST_F(restart, new_store_is_folded_from_the_log) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  submit("a", {.count = 2});
  pass();
  agent.end(to_string(agent->live.begin()->first.job), run_phase::failed, {2, 0, "Error", ""});
  pass();
  const auto before = lasting("a");
  stop();
  database = std::make_shared<store::memory_database>();
  start();
  ASSERT_THAT(before, SizeIs(2));
  EXPECT_EQ(lasting("a"), before);
}

TEST_F(restart, rounds_are_recorded_with_the_version_of_their_configuration) {
  stop();
  start([](actors::root_config& with) { with.config_version = 0xfeedULL; });
  create_queue("a");
  add_agent("c", {node_of("n", 1)});
  submit("a");
  pass();
  std::optional<std::uint64_t> version;
  for (model::log_position at{1}; at <= log_end(); ++at) {
    const auto batch = codec::decode_batch(log->get(at)->data);
    ASSERT_TRUE(batch);
    for (const auto& event : batch->events)
      if (const auto* round = std::get_if<model::round_decided>(&event.payload))
        version = round->config_version;
  }
  EXPECT_EQ(version, 0xfeedULL);
}

TEST_F(restart, full_disk_stands_down) {
  create_queue("a");
  database->fail_next_commit({ec::out_of_space, "full"});
  EXPECT_FALSE(call("Submit.SubmitJobs", make_submit("a")));
  settle();
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_THAT(failures[0], HasSubstr("full"));
  EXPECT_EQ(actors_alive(), 0U);
}

TEST_F(restart, append_with_a_lost_answer_is_repeated_and_counts_once) {
  create_queue("a");
  const auto end = log_end();
  log->fail_next_append({ec::timeout, "no answer"}, true);
  submit("a");
  EXPECT_EQ(log_end(), end + 1);
  log->fail_next_append({ec::unreachable, "no server"}, false);
  submit("a");
  EXPECT_EQ(log_end(), end + 2);
  EXPECT_THAT(jobs("a"), SizeIs(2));
  EXPECT_TRUE(failures.empty());
}

}  // namespace argosy::tests
