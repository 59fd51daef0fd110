// SPDX-License-Identifier: Apache-2.0
// Goal: while the log takes nothing, what was decided waits and is neither lost nor answered
// wrongly, and new commands are refused before anything is decided. Method: the log in memory is
// broken and mended under a control plane in virtual time, for longer than any of its time limits.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct log_outage : control_plane_test {
  static error no_server() { return {ec::unreachable, "no server"}; }

  /// One submission, which is answered now, later or never.
  struct posted {
    std::string client_id;
    std::optional<result<std::string>> answer;  ///< The id of the job, or the error.
  };

  posted& post(const std::string& client_id) {
    auto& out = posts.emplace_back();
    out.client_id = client_id;
    const auto request = make_submit("a", {.client_id = client_id}).SerializeAsString();
    client->request("argosy.api.Submit.SubmitJobs", request, {}, 200s,
                    [&out](const result<bus::frame>& reply) {
                      api::JobSubmitResponse response;
                      if (!reply)
                        out.answer = fail(reply.error());
                      else if (response.ParseFromString(reply->data))
                        out.answer = response.job_response_items(0).job_id();
                    });
    settle();
    return out;
  }

  std::vector<std::string> ids() {
    std::vector<std::string> out;
    for (const auto& job : jobs("a")) out.push_back(job.job_id());
    return out;
  }

  std::deque<posted> posts;
};

TEST_F(log_outage, longer_than_every_time_limit_delays_a_submission) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  log->set_broken(no_server());
  auto& early = post("x");
  advance(90s);
  ASSERT_TRUE(early.answer && !*early.answer);
  EXPECT_EQ(early.answer->error().code, ec::timeout) << "whether it took effect is unknown";
  log->set_broken({});
  advance(2s);
  const auto again = submit("a", {.client_id = "x"});
  EXPECT_THAT(ids(), ::testing::ElementsAre(again.at(0)));
  EXPECT_TRUE(agent.has(again.at(0))) << "it must be scheduled";
  EXPECT_TRUE(failures.empty());
}

TEST_F(log_outage, shows_within_seconds_also_while_nobody_writes) {
  const auto load = std::make_shared<eventlog::log_load>(1U << 20U);
  start([&](actors::root_config& config) { config.load = load; });
  advance(2s);
  EXPECT_TRUE(load->answers(clock.boot()));
  log->set_broken(no_server());
  advance(10s);
  EXPECT_FALSE(load->answers(clock.boot()));
  log->set_broken({});
  advance(2s);
  EXPECT_TRUE(load->answers(clock.boot()));
}

TEST_F(log_outage, gives_the_room_of_a_run_back_that_ended_meanwhile) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto first = submit("a").at(0);
  pass();
  ASSERT_TRUE(agent.has(first));
  log->set_broken(no_server());
  agent.end(first, run_phase::succeeded, {0, 0, "", ""});
  advance(90s);
  log->set_broken({});
  advance(15s);
  const auto second = submit("a").at(0);
  pass(2s);
  EXPECT_TRUE(agent.has(second));
  EXPECT_EQ(job(first).state(), api::SUCCEEDED);
  EXPECT_EQ(nodes().at("c/n").runs(), 1);
}

TEST_F(log_outage, delays_the_starts_of_a_plan) {
  start([](actors::root_config& with) {
    with.cycle.gap_min = 500ms;
    with.cycle.period = 500ms;
  });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 2)});
  pass(2s);
  const auto first = submit("a").at(0);
  const auto second = submit("a").at(0);
  ASSERT_TRUE(agent.has(first));
  ASSERT_FALSE(agent.has(second)) << "its round must still be to come";
  log->set_broken(no_server());
  advance(90s);
  EXPECT_FALSE(agent.has(second));
  log->set_broken({});
  advance(2s);
  EXPECT_TRUE(agent.has(second));
  EXPECT_EQ(job(second).state(), api::RUNNING);
}

TEST_F(log_outage, ends_the_process_when_an_append_fails_for_good) {
  start();
  create_queue("a");
  log->fail_next_append({ec::fenced, "another leads"}, false);
  const auto lost = call("Submit.SubmitJobs", make_submit("a"));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ec::timeout);
  EXPECT_THAT(lost.error().detail, HasSubstr("another leads"));
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_THAT(failures[0], HasSubstr("another leads"));
}

TEST_F(log_outage, refuses_new_commands_before_anything_is_decided) {
  start([](actors::root_config& with) { with.log_limits.waiting_bytes_max = {4'000}; });
  create_queue("a");
  const auto before = submit("a").at(0);
  log->set_broken(no_server());
  for (int i = 0; i < 20; ++i) post("x" + std::to_string(i));
  const auto refused =
      std::count_if(posts.begin(), posts.end(), [](const posted& one) { return one.answer; });
  EXPECT_GT(refused, 5);
  EXPECT_LT(refused, 20);
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  cancel.add_job_ids(before);
  const auto shed = call("Submit.CancelJobs", cancel);
  ASSERT_FALSE(shed);
  EXPECT_EQ(shed.error().code, ec::overloaded);
  EXPECT_THAT(shed.error().detail, HasSubstr("try again"));
  log->set_broken({});
  advance(1s);
  // What counts is what a new store finds in the log.
  crash();
  database = std::make_shared<store::memory_database>();
  start();
  const auto logged = ids();
  EXPECT_THAT(logged, SizeIs(1 + 20 - refused));
  for (const auto& one : posts) {
    ASSERT_TRUE(one.answer) << one.client_id;
    if (*one.answer)
      EXPECT_THAT(logged, Contains(**one.answer));
    else
      EXPECT_EQ(one.answer->error().code, ec::overloaded);
  }
}

TEST_F(log_outage, by_want_of_room_refuses_new_commands_at_once) {
  start();
  create_queue("a");
  log->set_broken(error{ec::out_of_space, "the log is full: its limit is 1 byte"});
  const auto& first = post("x1");
  EXPECT_FALSE(first.answer) << "it was decided before anybody knew";
  const auto refused = call("Submit.SubmitJobs", make_submit("a", {.client_id = "x2"}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space);
  EXPECT_THAT(refused.error().detail, HasSubstr("full"));
  EXPECT_THAT(ids(), SizeIs(0)) << "queries are answered";
  const auto alive = actors_alive();
  api::Queue queue;
  queue.set_name("b");
  queue.set_priority_factor(1);
  const auto no_queue = call("Submit.CreateQueue", queue);
  ASSERT_FALSE(no_queue);
  EXPECT_EQ(no_queue.error().code, ec::out_of_space);
  EXPECT_EQ(actors_alive(), alive) << "a refused queue leaves no actor";
  log->set_broken({});
  advance(1s);
  ASSERT_TRUE(first.answer && *first.answer);
  submit("a", {.client_id = "x2"});
  EXPECT_THAT(ids(), SizeIs(2));
}

/// A log whose records are small, as behind a server with a small max_payload.
struct small_records : log_outage {
  small_records() {
    log = std::make_shared<eventlog::memory_log>(
        clock, eventlog::memory_log_options{.max_record_bytes = 16 * 1024, .never_wait = true});
    start();
    create_queue("a");
  }
};

TEST_F(small_records, a_large_cancellation_of_gangs_is_divided) {
  for (int part = 0; part < 40; ++part)
    for (int gang = 0; gang < 5; ++gang)
      submit("a", {.count = 2, .gang = "g" + std::to_string(5 * part + gang), .cardinality = 2});
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  const auto done = call("Submit.CancelJobs", cancel);
  EXPECT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(failures.empty());
  stop();
  start();
  EXPECT_EQ(count("a", api::CANCELLED), 400);
}

TEST_F(small_records, a_plan_of_many_gangs_is_divided_between_them) {
  for (int gang = 0; gang < 60; ++gang)
    submit("a", {.count = 4, .gang = "g" + std::to_string(gang), .cardinality = 4});
  auto& agent = add_agent("c", {node_of("n1", 120), node_of("n2", 120)});
  pass(2s);
  EXPECT_EQ(agent->live.size(), 240U);
  EXPECT_TRUE(failures.empty());
}

TEST_F(small_records, a_gang_that_no_record_holds_is_refused) {
  const job_wish large{.count = 1, .gang = "large", .cardinality = 12};
  const auto refused = call("Submit.SubmitJobs", make_submit("a", large));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::too_large);
  EXPECT_THAT(refused.error().detail, HasSubstr("cardinality 12; at most 11 are allowed"));
  EXPECT_THAT(jobs("a"), SizeIs(0));
  submit("a", {.count = 11, .gang = "small", .cardinality = 11});
  auto& agent = add_agent("c", {node_of("n", 11)});
  pass(2s);
  EXPECT_EQ(agent->live.size(), 11U);
  EXPECT_TRUE(failures.empty());
}

TEST_F(small_records, that_became_smaller_still_keep_what_waits_and_end_nobody) {
  log->set_broken(error{ec::unreachable, "no server"});
  const auto& first = post("x1");
  log->set_max_record_bytes(100);
  log->set_broken({});
  advance(1s);
  EXPECT_TRUE(failures.empty());
  EXPECT_FALSE(first.answer);
  const auto refused = call("Submit.SubmitJobs", make_submit("a", {.client_id = "x2"}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space);
  EXPECT_THAT(refused.error().detail, HasSubstr("max_payload"));
  log->set_max_record_bytes(16 * 1024);
  advance(1s);
  ASSERT_TRUE(first.answer && *first.answer);
  submit("a", {.client_id = "x2"});
  EXPECT_THAT(ids(), SizeIs(2));
}

TEST_F(small_records, bound_requests_by_what_the_server_takes_now) {
  auto large = make_submit("a", {.client_id = "x1"});
  (*large.mutable_job_request_items(0)->mutable_annotations())["a"] = std::string(6'000, 'x');
  ASSERT_TRUE(call("Submit.SubmitJobs", large));
  log->set_max_record_bytes(4 * 1024);
  submit("a", {.client_id = "x2"});
  large.mutable_job_request_items(0)->set_client_id("x3");
  const auto refused = call("Submit.SubmitJobs", large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::too_large);
  EXPECT_TRUE(failures.empty());
  EXPECT_THAT(ids(), SizeIs(2));
}

TEST_F(small_records, a_hello_of_many_nodes_is_divided) {
  std::vector<model::node_info> many;
  for (int i = 0; i < 1'000; ++i) many.push_back(node_of("n" + std::to_string(i), 1));
  add_agent("c", many);
  pass();
  EXPECT_TRUE(failures.empty());
  EXPECT_THAT(nodes(), SizeIs(1'000));
  crash();
  start();
  EXPECT_THAT(nodes(), SizeIs(1'000)) << "all of them are in the log";
}

TEST_F(small_records, settings_that_no_record_holds_are_refused_and_the_process_lives) {
  api::Queue queue;
  queue.set_name("b");
  queue.set_priority_factor(1);
  for (int i = 0; i < 20; ++i) queue.add_user_owners(std::string(1'000, 'u'));
  for (const auto* method : {"Submit.CreateQueue", "Submit.UpdateQueue"}) {
    const auto refused = call(method, queue);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ec::too_large);
    EXPECT_TRUE(failures.empty());
  }
  queue.mutable_user_owners()->DeleteSubrange(5, 15);
  EXPECT_TRUE(call("Submit.CreateQueue", queue));
  submit("b");
}

TEST_F(small_records, what_no_record_holds_is_refused_and_the_process_lives) {
  const auto large = call("Submit.SubmitJobs", make_submit("a", {.count = 200}));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ec::too_large);
  EXPECT_TRUE(failures.empty());
  submit("a");
}

}  // namespace argosy::tests
