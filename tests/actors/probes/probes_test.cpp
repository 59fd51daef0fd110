// SPDX-License-Identifier: Apache-2.0
// Goal: the figures of each part change when something happens to it, and return when it is over.
// Method: a control plane and an agent in virtual time; the test reads the boards of both before
// and after what it does.
#include <gtest/gtest.h>

#include <string>

#include "messages/proto/api/event.pb.h"
#include "tests/actors/link/remote_agent_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;

struct figures : remote_agent_test {
  void begin(const std::function<void(actors::root_config&)>& change = {}) {
    start([&](actors::root_config& with) {
      with.probes = board;
      if (change) change(with);
    });
    create_queue("a");
    spawn_agent(add_process());
    both(1s);
  }

  /// The value of a metric with the labels' values behind its name; -1 when it is not shown.
  static double value(const metrics::board& of, const std::string& name) {
    for (const auto& family : of.families())
      for (const auto& sample : family.samples) {
        auto full = family.name;
        for (const auto& label : sample.labels) full += ' ' + label.second;
        if (full == name) return sample.value;
      }
    return -1;
  }
  [[nodiscard]] double here(const std::string& name) const { return value(*board, name); }
  [[nodiscard]] double there(const std::string& name) const {
    return value(*processes.front().board, name);
  }

  /// A watcher that takes one message and then no more.
  void open_watch() {
    api::JobSetRequest request;
    request.set_queue("a");
    request.set_id("set");
    request.set_watch(true);
    stream = client->open_stream("argosy.api.Event.GetJobSetEvents", request.SerializeAsString(),
                                 {}, {.credit = 1, .manual_grants = true}, {});
    both(100ms);
  }

  std::shared_ptr<metrics::board> board = metrics::make_board();
  bus::stream stream;
};

TEST_F(figures, of_journal_and_store_follow_each_batch) {
  begin();
  const auto batches = here("argosy_journal_batches_total");
  const auto appends = here("argosy_journal_appends_total");
  const auto commits = here("argosy_store_commits_total");
  const auto position = here("argosy_log_position");
  EXPECT_GT(position, 0);
  both(3s);
  submit("a", {.cpu = "100"});
  both(100ms);
  EXPECT_GT(here("argosy_journal_batches_total"), batches);
  EXPECT_GT(here("argosy_journal_appends_total"), appends);
  EXPECT_GE(here("argosy_store_commits_total"), commits + 2) << "the tail and the view";
  EXPECT_GT(here("argosy_log_position"), position);
  EXPECT_EQ(here("argosy_store_position"), here("argosy_log_position"));
  EXPECT_EQ(here("argosy_journal_appends_waiting"), 0);
  EXPECT_EQ(here("argosy_store_tail_batches"), here("argosy_log_position"));
  EXPECT_GT(here("argosy_store_tail_bytes"), 0);
  const auto wall = static_cast<double>(to_nanos(clock.wall())) / 1e9;
  EXPECT_NEAR(here("argosy_journal_committed_time_seconds"), wall, 2);
  EXPECT_NEAR(here("argosy_store_committed_time_seconds"), wall, 2);
}

TEST_F(figures, of_the_journal_show_that_the_log_is_away) {
  begin();
  log->set_broken(error{ec::unreachable, "no server"});
  client->request("argosy.api.Submit.SubmitJobs", make_submit("a").SerializeAsString(), {}, 60s,
                  [](const result<bus::frame>&) {});
  both(1s);
  EXPECT_GT(here("argosy_journal_retries_total"), 1);
  EXPECT_EQ(here("argosy_journal_appends_waiting"), 1);
  EXPECT_EQ(here("argosy_gateway_calls_open"), 1);
  EXPECT_EQ(here("argosy_journal_stopped"), 0);
  log->set_broken(std::nullopt);
  both(1s);
  EXPECT_EQ(here("argosy_journal_appends_waiting"), 0);
  EXPECT_EQ(here("argosy_gateway_calls_open"), 0);
}

TEST_F(figures, of_the_gateway_count_calls_by_method_and_result) {
  begin();
  EXPECT_EQ(here("argosy_gateway_calls_total Submit.CreateQueue ok"), 1);
  submit("a");
  EXPECT_EQ(here("argosy_gateway_calls_total Submit.SubmitJobs ok"), 1);
  EXPECT_FALSE(call("Submit.SubmitJobs", make_submit("absent")));
  EXPECT_EQ(here("argosy_gateway_calls_total Submit.SubmitJobs not_found"), 1);
  EXPECT_FALSE(call("Submit.NoSuchMethod", make_submit("a")));
  EXPECT_FALSE(call("Another.NoSuchMethod", make_submit("a")));
  EXPECT_EQ(here("argosy_gateway_calls_total unknown invalid_argument"), 2);
  EXPECT_EQ(here("argosy_gateway_calls_open"), 0);
  stream = client->open_stream("argosy.api.QueueService.GetQueues", "", {}, {.credit = 5}, {});
  both(100ms);
  EXPECT_EQ(here("argosy_gateway_calls_total QueueService.GetQueues stream"), 1);
  EXPECT_EQ(here("argosy_gateway_calls_open"), 0) << "a stream is no open call";
}

TEST_F(figures, of_the_feed_count_watchers_and_what_waits_for_them) {
  begin();
  open_watch();
  EXPECT_EQ(here("argosy_gateway_calls_total Event.GetJobSetEvents stream"), 1);
  EXPECT_EQ(here("argosy_gateway_watches"), 1);
  EXPECT_EQ(here("argosy_feed_watchers"), 1);
  EXPECT_EQ(here("argosy_store_watched_job_sets"), 1);
  EXPECT_EQ(here("argosy_gateway_calls_open"), 0) << "a stream is no open call";
  submit("a", {.count = 3});
  both(100ms);
  EXPECT_EQ(here("argosy_feed_sent_total"), 1);
  EXPECT_GE(here("argosy_feed_unsent"), 2);
  stream.cancel();
  both(100ms);
  EXPECT_EQ(here("argosy_feed_watchers"), 0);
  EXPECT_EQ(here("argosy_feed_unsent"), 0);
  EXPECT_EQ(here("argosy_store_watched_job_sets"), 0);
  EXPECT_EQ(here("argosy_gateway_watches"), 0);
}

TEST_F(figures, of_rounds_queues_gangs_and_nodes_follow_the_jobs) {
  begin();
  EXPECT_EQ(here("argosy_nodes ready"), 2);
  submit("a");
  const auto half = submit("a", {.gang = "half", .cardinality = 2});
  both(2s);
  EXPECT_EQ(here("argosy_round_leases_total"), 1);
  EXPECT_GE(here("argosy_rounds_total decided"), 1);
  EXPECT_EQ(here("argosy_rounds_total violation"), 0);
  EXPECT_EQ(here("argosy_round_deciding"), 0);
  EXPECT_GT(here("argosy_round_begun_time_seconds"), 0);
  EXPECT_EQ(here("argosy_queue_jobs running"), 1);
  EXPECT_EQ(here("argosy_queue_jobs queued"), 1);
  EXPECT_EQ(here("argosy_gangs incomplete"), 1);
  EXPECT_EQ(here("argosy_queue_live_jobs a RUNNING"), 1);
  EXPECT_EQ(here("argosy_queue_share_ratio default a demand"),
            here("argosy_queue_share_ratio default a actual"));
  EXPECT_EQ(here("argosy_queue_allocated default a cpu"), here("argosy_allocated far default cpu"));
  EXPECT_GT(here("argosy_allocated far default cpu"), 0);
  EXPECT_GT(here("argosy_capacity far default cpu"), here("argosy_allocated far default cpu"));
  EXPECT_EQ(here("argosy_job_wait_seconds a default armada-default"), 1);
  EXPECT_GE(here("argosy_round_duration_seconds default"), 1);
  EXPECT_GE(here("argosy_round_phase_seconds placing"), 1);
  both(10s);
  EXPECT_EQ(here("argosy_queue_jobs running"), 0);
  EXPECT_EQ(here("argosy_queue_ended_jobs_total a SUCCEEDED"), 1);
  EXPECT_GT(here("argosy_queue_used_core_seconds_total a"), 0);
  EXPECT_EQ(here("argosy_allocated far default cpu"), 0);
  api::JobCancelRequest request;
  request.set_job_id(half.at(0));
  ask<api::CancellationResult>("Submit.CancelJobs", request);
  both(1s);
  EXPECT_EQ(here("argosy_queue_jobs queued"), 0);
  EXPECT_EQ(here("argosy_gangs incomplete"), 0);
}

TEST_F(figures, of_the_link_count_requests_at_both_ends) {
  begin();
  EXPECT_EQ(here("argosy_agent_gateway_calls_total hello ok"), 1);
  EXPECT_EQ(here("argosy_agent_gateway_agents"), 1);
  EXPECT_EQ(there("argosy_executor_connected"), 1);
  EXPECT_GE(there("argosy_link_requests_total answered"), 1) << "the hello";
  const auto orders = here("argosy_link_requests_total answered");
  submit("a");
  both(2s);
  EXPECT_GT(here("argosy_link_requests_total answered"), orders);
  EXPECT_GE(there("argosy_link_received_total"), 1);
  EXPECT_EQ(there("argosy_executor_runs"), 1);
  EXPECT_GE(there("argosy_executor_store_commits_total"), 1);
  EXPECT_GE(there("argosy_executor_answer_seconds report"), 1);
  EXPECT_EQ(here("argosy_link_requests_open"), 0);
  EXPECT_EQ(there("argosy_link_requests_open"), 0);
  EXPECT_EQ(here("argosy_clusters connected"), 1);
  processes.front().connection->close();
  submit("a");
  both(60s);
  EXPECT_GE(here("argosy_link_requests_total failed") + here("argosy_link_requests_total timeout"),
            1);
  EXPECT_EQ(here("argosy_clusters silent"), 1);
  EXPECT_EQ(here("argosy_nodes silent"), 2);
}

TEST_F(figures, of_the_bus_count_what_is_taken_and_refused) {
  begin([](actors::root_config& with) { with.request_limits.unanswered_max = 2; });
  const auto taken = here("argosy_bus_requests_total taken");
  submit("a", {.cpu = "100"});
  EXPECT_GE(here("argosy_bus_requests_total taken"), taken + 1);
  EXPECT_EQ(here("argosy_bus_requests_total refused"), 0);
  EXPECT_EQ(here("argosy_bus_connected"), 1);
  log->set_broken(error{ec::unreachable, "no server"});
  for (int i = 0; i < 3; ++i)
    client->request("argosy.api.Submit.SubmitJobs", make_submit("a").SerializeAsString(), {}, 60s,
                    [](const result<bus::frame>&) {});
  both(100ms);
  EXPECT_EQ(here("argosy_bus_unanswered"), 2);
  EXPECT_EQ(here("argosy_bus_requests_total refused"), 1);
  log->set_broken(std::nullopt);
  both(1s);
  EXPECT_EQ(here("argosy_bus_unanswered"), 0);
  EXPECT_GE(here("argosy_bus_asked_total answered"), 0);
}

TEST_F(figures, of_reader_retention_leader_and_root_follow_their_work) {
  begin([](actors::root_config& with) {
    with.retention.events = with.retention.jobs = with.retention.client_ids = 60s;
  });
  EXPECT_EQ(here("argosy_leader_epoch"), 1);
  EXPECT_EQ(here("argosy_root_queues"), 1);
  EXPECT_EQ(here("argosy_root_clusters"), 1);
  const auto children = here("argosy_root_children");
  create_queue("b");
  EXPECT_EQ(here("argosy_root_queues"), 2);
  EXPECT_EQ(here("argosy_root_children"), children + 1);
  const auto asked = here("argosy_reader_queries_total jobs");
  const auto id = submit("a").at(0);
  describe(id);
  EXPECT_GT(here("argosy_reader_queries_total jobs"), asked);
  EXPECT_EQ(here("argosy_reader_open"), 0);
  EXPECT_EQ(here("argosy_retention_expiries_total"), 0);
  both(100s);
  EXPECT_GE(here("argosy_retention_expiries_total"), 1);
  EXPECT_GE(here("argosy_retention_looks_total"), 2);
  EXPECT_GT(here("argosy_retention_expired_time_seconds"), 0);
  EXPECT_EQ(here("argosy_retention_failures_total"), 0);
  EXPECT_GE(here("argosy_leader_verifications_total"), 1);
  EXPECT_GE(here("argosy_tracer_drains_total"), 1);
  EXPECT_GT(here("argosy_tracer_spans_kept"), 0);
}

}  // namespace argosy::tests
