// SPDX-License-Identifier: Apache-2.0
// Goal: queues are written, read, deleted and counted as their callers mean it, also by several at
// once and across restarts.
// Method: requests with the API's headers over the bus in memory; jobs of a scripted agent.
#include <gmock/gmock.h>

#include <deque>
#include <optional>

#include "messages/proto/api/job.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

struct queues : control_plane_test {
  queues() { start(); }

  static api::Queue queue_of(const std::string& name, double factor = 1) {
    api::Queue out;
    out.set_name(name);
    out.set_priority_factor(factor);
    return out;
  }
  /// none when it was written.
  ec write(const std::string& method, const api::Queue& queue, const bus::headers& with) {
    const auto done = call(method, queue, with);
    return done ? ec::none : done.error().code;
  }
  struct read_queue {
    api::Queue queue;
    std::string version;
  };
  std::optional<read_queue> read(const std::string& name, const bus::headers& with = {}) {
    api::QueueGetRequest request;
    request.set_name(name);
    const auto reply = exchange("Submit.GetQueue", request, with);
    if (!reply) return {};
    read_queue out;
    EXPECT_TRUE(out.queue.ParseFromString(reply->data));
    out.version = reply->headers.get("argosy-version").value_or("");
    return out;
  }
  result<std::string> erase(const std::string& name, const std::string& mode = "") {
    api::QueueDeleteRequest request;
    request.set_name(name);
    bus::headers with;
    if (!mode.empty()) with.set("argosy-mode", mode);
    return call("Submit.DeleteQueue", request, with);
  }
  v1::QueueSummary summary(const std::string& name) {
    const auto reply = ask<v1::ListQueuesResponse>("Query.ListQueues", v1::ListQueuesRequest{});
    for (const auto& one : reply.queues())
      if (one.queue().name() == name) return one;
    ADD_FAILURE() << "no queue " << name;
    return {};
  }
};

namespace {

TEST_F(queues, are_created_by_one_of_two_that_want_to) {
  std::vector<ec> outcomes;
  for (const double factor : {1.0, 2.0}) {
    client->request("argosy.api.Submit.CreateQueue", queue_of("a", factor).SerializeAsString(),
                    {{"argosy-mode", "create"}}, 10s, [&](const result<bus::frame>& reply) {
                      outcomes.push_back(reply ? ec::none : reply.error().code);
                    });
  }
  pass();
  EXPECT_THAT(outcomes, UnorderedElementsAre(ec::none, ec::already_exists));
  EXPECT_EQ(read("a")->queue.priority_factor(), 1.0) << "the first one's settings stand";
}

TEST_F(queues, are_updated_only_while_they_are_there) {
  EXPECT_EQ(write("Submit.UpdateQueue", queue_of("a"), {{"argosy-mode", "update"}}), ec::not_found);
  create_queue("a");
  EXPECT_EQ(write("Submit.UpdateQueue", queue_of("a", 3), {{"argosy-mode", "update"}}), ec::none);
  const auto read_before = read("a");
  ASSERT_TRUE(erase("a", "strict"));
  EXPECT_EQ(write("Submit.UpdateQueue", queue_of("a", 4), {{"argosy-mode", "update"}}),
            ec::not_found);
  EXPECT_EQ(
      write("Submit.UpdateQueue", queue_of("a", 4), {{"argosy-expect", read_before->version}}),
      ec::not_found)
      << "who expects something does not create it";
  EXPECT_FALSE(read("a"));
}

TEST_F(queues, are_replaced_only_as_they_were_read) {
  create_queue("a");
  const auto mine = read("a");
  ASSERT_TRUE(mine);
  EXPECT_THAT(mine->version, SizeIs(16));
  EXPECT_EQ(summary("a").version(), mine->version);
  ASSERT_EQ(write("Submit.UpdateQueue", queue_of("a", 2), {}), ec::none);
  const bus::headers mode{{"argosy-mode", "update"}, {"argosy-expect", mine->version}};
  const auto refused = call("Submit.UpdateQueue", queue_of("a", 3), mode);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_THAT(refused.error().detail, HasSubstr("have changed since they were read"));
  const auto again = read("a");
  EXPECT_EQ(again->queue.priority_factor(), 2);
  EXPECT_EQ(write("Submit.UpdateQueue", queue_of("a", 3),
                  {{"argosy-mode", "update"}, {"argosy-expect", again->version}}),
            ec::none);
  EXPECT_EQ(read("a")->queue.priority_factor(), 3);
  crash();
  start();
  EXPECT_EQ(read("a")->version, summary("a").version()) << "it outlives the process";
}

TEST_F(queues, refuse_modes_that_mean_nothing) {
  const auto refused = call("Submit.CreateQueue", queue_of("a"), {{"argosy-mode", "creat"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::invalid_argument);
  EXPECT_THAT(refused.error().detail, HasSubstr("'creat'; it may be 'create' or 'update'"));
  create_queue("a");
  EXPECT_EQ(erase("a", "hard").error().code, ec::invalid_argument);
  EXPECT_FALSE(read("a", {{"argosy-owners", "together"}}));
  EXPECT_TRUE(read("a"));
}

TEST_F(queues, give_owners_apart_from_permissions_when_asked_to) {
  auto owned = queue_of("a");
  owned.add_user_owners("alice");
  owned.add_group_owners("staff");
  ASSERT_EQ(write("Submit.CreateQueue", owned, {}), ec::none);
  const auto plain = read("a");
  EXPECT_EQ(plain->queue.user_owners_size(), 0);
  ASSERT_EQ(plain->queue.permissions_size(), 1);
  auto apart = read("a", {{"argosy-owners", "separate"}});
  EXPECT_THAT(apart->queue.user_owners(), ElementsAre("alice"));
  EXPECT_THAT(apart->queue.group_owners(), ElementsAre("staff"));
  EXPECT_EQ(apart->queue.permissions_size(), 0);
  EXPECT_EQ(apart->version, plain->version);
  // The queue written back as it is changes nothing; with another owner it has that one alone.
  const auto end = log->info()->last_position;
  ASSERT_EQ(write("Submit.UpdateQueue", apart->queue, {}), ec::none);
  EXPECT_EQ(log->info()->last_position, end);
  apart->queue.clear_group_owners();
  apart->queue.set_user_owners(0, "bob");
  ASSERT_EQ(write("Submit.UpdateQueue", apart->queue, {}), ec::none);
  const auto after = read("a");
  ASSERT_EQ(after->queue.permissions_size(), 1);
  ASSERT_EQ(after->queue.permissions(0).subjects_size(), 1);
  EXPECT_EQ(after->queue.permissions(0).subjects(0).name(), "bob");
}

TEST_F(queues, with_jobs_are_not_called_deleted) {
  create_queue("a");
  const auto id = submit("a").at(0);
  for (const auto* mode : {"", "strict"}) {
    const auto refused = erase("a", mode);
    ASSERT_FALSE(refused) << mode;
    EXPECT_EQ(refused.error().code, ec::conflict);
    EXPECT_THAT(refused.error().detail, HasSubstr("such as " + id));
  }
  EXPECT_TRUE(erase("a", "lenient")) << "who says so does not mind";
  EXPECT_TRUE(read("a"));
  api::JobSetCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  ASSERT_TRUE(call("Submit.CancelJobSet", cancel));
  EXPECT_TRUE(erase("a"));
  EXPECT_FALSE(read("a"));
  EXPECT_TRUE(erase("a")) << "as with Armada, what is not there is deleted";
  EXPECT_EQ(erase("a", "strict").error().code, ec::not_found);
  EXPECT_TRUE(erase("nobody"));
  EXPECT_EQ(erase("nobody", "strict").error().code, ec::not_found);
}

TEST_F(queues, are_streamed_with_any_credit) {
  std::vector<std::string> names;
  for (int i = 0; i < 9; ++i) {
    names.push_back("q" + std::to_string(i));
    create_queue(names.back());
  }
  for (const std::uint32_t limit : {0u, 4u}) {
    std::vector<std::string> got;
    bool ended = false;
    std::optional<result<void>> end;
    bus::stream_events events;
    events.on_item = [&](const bus::frame& item) {
      api::StreamingQueueMessage message;
      ASSERT_TRUE(message.ParseFromString(item.data));
      if (message.has_queue()) got.push_back(message.queue().name());
      ended = message.has_end();
    };
    events.on_end = [&](result<void> how) { end = std::move(how); };
    api::StreamingQueueGetRequest request;
    request.set_num(limit);
    bus::stream_options options;
    options.credit = 2;
    const auto stream =
        client->open_stream("argosy.api.QueueService.GetQueues", request.SerializeAsString(), {},
                            options, std::move(events));
    pass();
    ASSERT_TRUE(end && *end) << limit;
    EXPECT_TRUE(ended);
    if (limit > 0) names.resize(limit);
    EXPECT_EQ(got, names);
  }
}

TEST_F(queues, come_in_pages_by_name) {
  for (const auto* name : {"b", "d", "a", "c"}) create_queue(name);
  v1::ListQueuesRequest request;
  request.set_limit(3);
  auto page = ask<v1::ListQueuesResponse>("Query.ListQueues", request);
  ASSERT_EQ(page.queues_size(), 3);
  EXPECT_EQ(page.queues(2).queue().name(), "c");
  request.set_cursor(page.cursor());
  page = ask<v1::ListQueuesResponse>("Query.ListQueues", request);
  ASSERT_EQ(page.queues_size(), 1);
  EXPECT_EQ(page.queues(0).queue().name(), "d");
  EXPECT_EQ(page.cursor(), "");
}

TEST_F(queues, that_are_active_are_those_with_live_runs) {
  create_queue("a");
  create_queue("b");
  create_queue("idle");
  submit("a", {.count = 5});
  submit("b", {.count = 5});
  add_agent("c", {node_of("n", 2)});
  add_agent("d", {node_of("n", 2)}, "other");
  pass();
  const auto active = [&] {
    std::map<std::string, std::vector<std::string>> out;
    const auto reply =
        ask<api::GetActiveQueuesResponse>("Jobs.GetActiveQueues", api::GetActiveQueuesRequest{});
    for (const auto& [pool, list] : reply.active_queues_by_pool())
      out[pool].assign(list.queues().begin(), list.queues().end());
    return out;
  };
  const auto both = active();
  EXPECT_THAT(both, SizeIs(2));
  EXPECT_THAT(both.at("default"), ElementsAre("a", "b"));
  EXPECT_THAT(both.at("other"), ElementsAre("a", "b"));
}

TEST_F(queues, keep_their_totals_when_the_server_does_not_live) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto ids = submit("a", {.count = 3});
  pass(10s);
  agent.end(ids[0], run_phase::succeeded);
  agent.end(ids[1], run_phase::failed, {3, 0, "Error", "exited"});
  pass();
  const auto before = summary("a");
  EXPECT_EQ(before.succeeded(), 1U);
  EXPECT_EQ(before.failed(), 1U);
  EXPECT_GE(before.usage_cpu_ms(), 18'000U);
  crash();
  start();
  reconnect_agents();
  EXPECT_EQ(summary("a").succeeded(), 1U);
  EXPECT_EQ(summary("a").failed(), 1U);
  EXPECT_EQ(summary("a").usage_cpu_ms(), before.usage_cpu_ms());
  agent.end(ids[2], run_phase::succeeded);
  pass();
  EXPECT_EQ(summary("a").succeeded(), 2U);
  // Another store, folded from the log, has counted the same numbers.
  crash();
  database = std::make_shared<store::memory_database>();
  start();
  EXPECT_EQ(summary("a").succeeded(), 2U);
  EXPECT_GT(summary("a").usage_cpu_ms(), before.usage_cpu_ms());
}

TEST_F(queues, keep_their_totals_when_what_they_counted_expires) {
  stop();
  start([](actors::root_config& with) { with.retention.jobs = 1h; });
  create_queue("a");
  const auto id = submit("a").at(0);
  api::JobCancelRequest cancel;
  cancel.set_job_id(id);
  ask<api::CancellationResult>("Submit.CancelJobs", cancel);
  pass(2h);
  EXPECT_THAT(jobs("a"), IsEmpty());
  EXPECT_EQ(summary("a").cancelled(), 1U);
  crash();
  start();
  EXPECT_EQ(summary("a").cancelled(), 1U);
}

/// Has jobs of several queues, whose cancellation may fail in some.
struct cancellations : queues {
  /// Makes an ended job of a queue that was deleted, which a new process does not find any more.
  std::string orphan(const std::string& queue) {
    create_queue(queue);
    const auto id = submit(queue).at(0);
    api::JobCancelRequest cancel;
    cancel.set_job_id(id);
    ask<api::CancellationResult>("Submit.CancelJobs", cancel);
    EXPECT_TRUE(erase(queue, "strict"));
    return id;
  }
  result<bus::frame> cancel(const std::vector<std::string>& ids) {
    api::JobCancelRequest request;
    for (const auto& id : ids) request.add_job_ids(id);
    return exchange("Submit.CancelJobs", request);
  }
};

TEST_F(cancellations, say_what_was_done_where_another_queue_failed) {
  create_queue("a");
  create_queue("z");
  const auto live = submit("a").at(0);
  const auto last = submit("z").at(0);
  const auto lost = orphan("gone");
  crash();
  start();
  const auto reply = cancel({live, lost, last});
  ASSERT_TRUE(reply) << reply.error().detail;
  api::CancellationResult result;
  ASSERT_TRUE(result.ParseFromString(reply->data));
  EXPECT_THAT(result.cancelled_ids(), UnorderedElementsAre(live, last));
  const auto rest = get_text(reply->headers, "argosy-partial");
  ASSERT_TRUE(rest);
  EXPECT_THAT(*rest, HasSubstr("in 1 of 3 queues nothing was cancelled: queue 'gone':"));
}

TEST_F(cancellations, fail_once_when_nothing_could_be_done) {
  const auto one = orphan("gone");
  const auto two = orphan("gone-2");
  crash();
  start();
  const auto reply = cancel({one, two});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ec::not_found);
  EXPECT_THAT(reply.error().detail, HasSubstr("in 2 of 2 queues nothing was cancelled"));
}

}  // namespace

}  // namespace argosy::tests
