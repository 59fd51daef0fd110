// SPDX-License-Identifier: Apache-2.0
// Goal: calls and streams reach the API's subjects, errors come back as they were sent, what is
// safe to repeat is repeated and nothing else, and spans of changes are reported. Method: a server
// on the bus in memory that fails on purpose.
#include "bins/argosyctl/client/bus_client.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "bins/argosyctl/client/job_set_feed.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/proto/argosy/trace.pb.h"
#include "runtime/bus/in_memory.hpp"
#include "runtime/trace/context.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;

class bus_client_test : public ::testing::Test {
 protected:
  bus_client_test() : broker_({.max_payload = 64u << 10, .manual_time = false}) {
    server_ = broker_.connect();
    connection_ = broker_.connect();
  }

  bus_client& client_with(std::chrono::milliseconds timeout) {
    client_ = std::make_unique<bus_client>(
        connection_, bus_client_options{timeout, "argosyctl submit", [this] { ++waited_; }});
    return *client_;
  }

  void serve(const std::string& subject, bus::frame_handler handler) {
    auto served = server_->serve(subject, std::move(handler));
    ASSERT_TRUE(served);
    subscriptions_.push_back(std::move(*served));
  }

  bus::memory_broker broker_;
  std::shared_ptr<bus::connection> server_;
  std::shared_ptr<bus::connection> connection_;
  std::vector<bus::subscription> subscriptions_;
  std::unique_ptr<bus_client> client_;
  int waited_ = 0;
};

TEST_F(bus_client_test, carries_requests_answers_and_a_trace) {
  std::string traceparent;
  serve("argosy.api.Query.ListJobs", [&](const bus::frame& request) {
    traceparent = request.headers.get(bus::header::traceparent).value_or("");
    ASSERT_TRUE(server_->respond(request, "answer to " + request.data));
  });
  auto answer = client_with(5s).call("Query.ListJobs", "question", repeatable::yes);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, "answer to question");
  EXPECT_TRUE(trace::parse_traceparent(traceparent));
}

TEST_F(bus_client_test, gives_up_a_call_when_it_is_told_to) {
  std::atomic<bool> taken{false};
  serve("argosy.api.Submit.CancelJobSet", [&](const bus::frame&) { taken = true; });
  const auto answer =
      client_with(30s).exchange_unless([&] { return taken.load(); }, "Submit.CancelJobSet", "x",
                                       repeatable::yes, {{"argosy-operation", "id"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ec::cancelled);
}

TEST_F(bus_client_test, passes_errors_on) {
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    ASSERT_TRUE(server_->respond_error(request, {ec::denied, "not yours"}));
  });
  const auto answer = client_with(5s).call("Submit.SubmitJobs", "x", repeatable::no);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), (error{ec::denied, "not yours"}));
}

TEST_F(bus_client_test, tries_again_when_the_request_was_surely_not_taken) {
  int attempts = 0;
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    if (++attempts < 3)
      ASSERT_TRUE(server_->respond_error(request, {ec::overloaded, "later"}));
    else
      ASSERT_TRUE(server_->respond(request, "done"));
  });
  EXPECT_TRUE(client_with(10s).call("Submit.SubmitJobs", "x", repeatable::no));
  EXPECT_EQ(attempts, 3);
}

TEST_F(bus_client_test, gives_up_when_nobody_serves_in_time) {
  const auto answer = client_with(200ms).call("Query.ListJobs", "x", repeatable::yes);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ec::no_responders);
}

TEST_F(bus_client_test, names_the_whole_time_that_was_waited) {
  serve("argosy.api.Query.ListJobs", [](const bus::frame&) {});
  const auto answer = client_with(1'500ms).call("Query.ListJobs", "x", repeatable::yes);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ec::timeout);
  EXPECT_NE(answer.error().detail.find("within 1.5 s"), std::string::npos) << answer.error().detail;
}

TEST_F(bus_client_test, does_not_repeat_a_change_that_may_have_been_made) {
  std::atomic<int> attempts = 0;
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame&) { ++attempts; });
  const auto answer = client_with(100ms).call("Submit.SubmitJobs", "x", repeatable::no);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ec::timeout);
  EXPECT_EQ(attempts, 1);
}

TEST_F(bus_client_test, repeats_a_query_whose_answer_was_lost) {
  int attempts = 0;
  serve("argosy.api.Query.ListJobs", [&](const bus::frame& request) {
    if (++attempts == 1) return;
    ASSERT_TRUE(server_->respond(request, "done"));
  });
  EXPECT_TRUE(client_with(3s).call("Query.ListJobs", "x", repeatable::yes));
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(waited_, 1);
}

TEST_F(bus_client_test, reports_spans_of_changes_only) {
  argosy::v1::ReportSpansRequest report;
  for (const auto* method : {"Submit.SubmitJobs", "Query.ListJobs"})
    serve(std::string{"argosy.api."} + method,
          [&](const bus::frame& request) { ASSERT_TRUE(server_->respond(request, "")); });
  serve("argosy.api.Trace.ReportSpans", [&](const bus::frame& request) {
    EXPECT_TRUE(report.ParseFromString(request.data));
    ASSERT_TRUE(server_->respond(request, ""));
  });
  auto& client = client_with(5s);
  ASSERT_TRUE(client.call("Query.ListJobs", "", repeatable::yes));
  client.report_spans();
  EXPECT_EQ(report.spans_size(), 0);
  ASSERT_TRUE(client.call("Submit.SubmitJobs", "", repeatable::no));
  bool answered = false;
  client.start("Submit.SubmitJobs", "", [&](const auto& answer) { answered = answer.has_value(); });
  EXPECT_TRUE(answered);
  client.report_spans();
  ASSERT_EQ(report.spans_size(), 2);
  EXPECT_EQ(report.spans(0).name(), "argosyctl submit");
  EXPECT_EQ(report.spans(0).process(), "argosyctl");
  EXPECT_EQ(report.spans(0).trace_id().size(), 16);
  EXPECT_NE(report.spans(0).trace_id(), report.spans(1).trace_id());
}

TEST_F(bus_client_test, reports_what_was_refused_as_failed) {
  argosy::v1::ReportSpansRequest report;
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    ASSERT_TRUE(server_->respond_error(request, {ec::invalid_argument, "no"}));
  });
  serve("argosy.api.Trace.ReportSpans", [&](const bus::frame& request) {
    EXPECT_TRUE(report.ParseFromString(request.data));
    ASSERT_TRUE(server_->respond(request, ""));
  });
  auto& client = client_with(5s);
  EXPECT_FALSE(client.call("Submit.SubmitJobs", "", repeatable::no));
  client.report_spans();
  ASSERT_EQ(report.spans_size(), 1);
  const auto span = codec::from_wire(report.spans(0));
  ASSERT_TRUE(span);
  EXPECT_TRUE(span->failed);
  EXPECT_EQ(span->attributes.size(), 1U);
}

TEST_F(bus_client_test, carries_headers_both_ways) {
  serve("argosy.api.QueueService.GetQueue", [&](const bus::frame& request) {
    bus::headers back;
    back.set("argosy-version", request.headers.get("argosy-mode").value_or("none"));
    ASSERT_TRUE(server_->respond(request, "data", back));
  });
  auto answer = client_with(5s).exchange("QueueService.GetQueue", "", repeatable::yes,
                                         {{"argosy-mode", "strict"}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->header("argosy-version"), "strict");
  EXPECT_EQ(answer->header("argosy-other"), "");
}

TEST_F(bus_client_test, a_missing_collector_does_not_delay_the_end) {
  serve("argosy.api.Submit.SubmitJobs",
        [&](const bus::frame& request) { ASSERT_TRUE(server_->respond(request, "")); });
  serve("argosy.api.Trace.ReportSpans", [](const bus::frame&) {});
  auto& client = client_with(5s);
  ASSERT_TRUE(client.call("Submit.SubmitJobs", "", repeatable::no));
  const auto start = std::chrono::steady_clock::now();
  client.report_spans();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
}

TEST_F(bus_client_test, knows_how_much_a_request_can_hold) {
  EXPECT_EQ(client_with(1s).request_size_max(), (64u << 10) - 20'480);
}

/// Serves a job set with this many events, after which a follower hears nothing more.
class event_server {
 public:
  event_server(bus::connection& connection, int events)
      : connection_(connection), events_(events) {}

  void handle(const bus::frame& request) {
    api::JobSetRequest wanted;
    ASSERT_TRUE(wanted.ParseFromString(request.data));
    const int after = wanted.from_message_id().empty() ? 0 : std::stoi(wanted.from_message_id());
    auto state = std::make_shared<progress>();
    state->next = after + 1;
    auto weak = std::weak_ptr{state};
    auto accepted = connection_.accept_stream(request, {.on_credit =
                                                            [this, weak] {
                                                              if (auto s = weak.lock()) push(*s);
                                                            },
                                                        .on_cancel = [](const error&) {}});
    ASSERT_TRUE(accepted);
    state->writer = *accepted;
    state->follow = wanted.watch();
    open_.push_back(state);
    push(*state);
  }

 private:
  struct progress {
    std::shared_ptr<bus::stream_writer> writer;
    int next = 1;
    bool follow = false;
  };

  void push(progress& state) const {
    for (; state.next <= events_; ++state.next) {
      api::EventStreamMessage event;
      event.set_id(std::to_string(state.next));
      event.mutable_message()->mutable_queued()->set_job_id("j");
      const auto sent = state.writer->send(event.SerializeAsString());
      if (!sent || *sent != bus::send_state::sent) return;
    }
    if (!state.follow) state.writer->finish();
  }

  bus::connection& connection_;
  int events_;
  std::vector<std::shared_ptr<progress>> open_;
};

TEST_F(bus_client_test, reads_long_streams_with_credit) {
  constexpr int count = 20'000;
  event_server events{*server_, count};
  serve("argosy.api.Event.GetJobSetEvents",
        [&](const bus::frame& request) { events.handle(request); });
  job_set_feed feed{client_with(5s), {.queue = "a", .job_set = "s", .follow = false}};
  api::EventStreamMessage event;
  for (int i = 1; i <= count; ++i) {
    const auto got = feed.next(event, 5s);
    ASSERT_TRUE(got && *got == stream_reader::event::item) << i;
    ASSERT_EQ(event.id(), std::to_string(i));
  }
  const auto end = feed.next(event, 5s);
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, stream_reader::event::finished);
}

TEST_F(bus_client_test, a_feed_follows_and_is_quiet_when_nothing_happens) {
  event_server events{*server_, 2};
  serve("argosy.api.Event.GetJobSetEvents",
        [&](const bus::frame& request) { events.handle(request); });
  job_set_feed feed{client_with(5s), {.queue = "a", .job_set = "s", .from = "1"}};
  api::EventStreamMessage event;
  ASSERT_EQ(*feed.next(event, 5s), stream_reader::event::item);
  EXPECT_EQ(event.id(), "2");
  EXPECT_EQ(*feed.next(event, 10ms), stream_reader::event::quiet);
}

TEST_F(bus_client_test, a_refused_stream_is_an_error) {
  serve("argosy.api.Event.GetJobSetEvents", [&](const bus::frame& request) {
    auto writer = server_->accept_stream(request, {});
    ASSERT_TRUE(writer);
    (*writer)->finish(error{ec::not_found, "no such queue"});
  });
  job_set_feed feed{client_with(5s), {.queue = "a", .job_set = "s"}};
  api::EventStreamMessage event;
  const auto got = feed.next(event, 5s);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error(), (error{ec::not_found, "no such queue"}));
}

}  // namespace

}  // namespace argosy::ctl
