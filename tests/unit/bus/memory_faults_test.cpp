// SPDX-License-Identifier: Apache-2.0
// Goal: with manual time the bus in memory is deterministic, and its faults reach both ends.
// Method: one thread; the test moves the time, drops frames and freezes connections.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/bus/core.hpp"
#include "runtime/bus/in_memory.hpp"

namespace argosy::bus {
namespace {

using std::chrono::milliseconds;

class memory_faults : public ::testing::Test {
 protected:
  subscription serve_stream(const std::string& subject) {
    return std::move(*server_->serve(subject, [this](const frame& asked) {
      writer_ =
          server_
              ->accept_stream(asked, {.on_cancel = [this](const error& why) { cancelled_ = why; }})
              .value();
    }));
  }
  stream open(const std::string& subject) {
    return client_->open_stream(
        subject, "", {}, {.keepalive = milliseconds{1'000}},
        {.on_item = [this](const frame& item) { items_.push_back(item.data); },
         .on_end =
             [this](const result<void>& how) {
               ended_ = how ? error{ec::none, ""} : how.error();
             }});
  }

  memory_broker broker_;
  std::shared_ptr<connection> server_ = broker_.connect();
  std::shared_ptr<connection> client_ = broker_.connect();
  std::shared_ptr<stream_writer> writer_;
  std::vector<std::string> items_;
  std::optional<error> ended_;
  std::optional<error> cancelled_;
};

TEST_F(memory_faults, a_stream_obeys_no_frames_that_come_on_another_subject) {
  std::string id;
  const auto watched = server_->serve("api.alice", [&](const frame& asked) {
    id = asked.headers.get(header::stream_id).value_or("");
    writer_ =
        server_->accept_stream(asked, {.on_cancel = [this](const error& why) { cancelled_ = why; }})
            .value();
  });
  const auto others = server_->serve("api.mallory", [](const frame&) {});
  const auto reader = open("api.alice");
  ASSERT_FALSE(id.empty());
  headers forged;
  forged.set(header::stream, stream_kind::cancel);
  forged.set(header::stream_id, id);
  const auto mallory = broker_.connect();
  ASSERT_TRUE(mallory->publish("api.mallory", "", forged));
  EXPECT_FALSE(cancelled_) << "mallory may not publish to api.alice";
  ASSERT_TRUE(mallory->publish("api.alice", "", forged));
  EXPECT_TRUE(cancelled_) << "whoever may is the reader as far as the server knows";
}

TEST_F(memory_faults, a_stream_whose_keepalive_is_no_number_is_refused) {
  std::vector<result<void>> said;
  const auto served = server_->serve("a", [&](const frame& asked) {
    auto accepted = server_->accept_stream(asked, {});
    said.push_back(accepted ? result<void>{} : fail(accepted.error()));
  });
  for (const auto* keepalive : {"1000", "soon", "-1", "", "5e3"}) {
    headers with{{"argosy-stream", "open"}, {"argosy-stream-id", "1"}, {"argosy-credit", "1"}};
    with.set(header::keepalive, keepalive);
    client_->request("a", "", with, milliseconds{100}, [](const result<frame>&) {});
  }
  ASSERT_EQ(said.size(), 5U);
  EXPECT_TRUE(said[0]);
  for (std::size_t i = 1; i < said.size(); ++i) {
    ASSERT_FALSE(said[i]) << i;
    EXPECT_EQ(said[i].error().code, ec::invalid_argument);
  }
  EXPECT_NE(said[1].error().detail.find("'soon', which is no number"), std::string::npos);
}

TEST_F(memory_faults, times_out_exactly_when_the_time_is_moved) {
  const auto held = server_->serve("a", [](const frame&) {});
  std::optional<result<frame>> got;
  client_->request("a", "", {}, milliseconds{100}, [&](result<frame> r) { got = std::move(r); });
  broker_.advance(milliseconds{99});
  EXPECT_FALSE(got.has_value());
  broker_.advance(milliseconds{1});
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->error().code, ec::timeout);
}

TEST_F(memory_faults, what_a_callback_publishes_waits_until_it_returns) {
  std::vector<std::string> order;
  const auto first = server_->serve("first", [&](const frame&) {
    order.emplace_back("first begins");
    EXPECT_TRUE(server_->publish("second", ""));
    order.emplace_back("first ends");
  });
  const auto second = server_->serve("second", [&](const frame&) { order.emplace_back("second"); });
  ASSERT_TRUE(client_->publish("first", ""));
  EXPECT_EQ(order, (std::vector<std::string>{"first begins", "first ends", "second"}));
}

TEST_F(memory_faults, a_dropped_request_times_out_and_a_late_reply_is_ignored) {
  std::vector<frame> asked;
  const auto held = server_->serve("a", [&](const frame& f) { asked.push_back(f); });
  int calls = 0;
  const auto count = [&](const result<frame>&) { ++calls; };
  broker_.drop_next("a", 1);
  client_->request("a", "", {}, milliseconds{10}, count);
  EXPECT_TRUE(asked.empty());
  client_->request("a", "", {}, milliseconds{10}, count);
  ASSERT_EQ(asked.size(), 1u);
  broker_.advance(milliseconds{10});
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(server_->respond(asked.front(), "late"));
  EXPECT_EQ(calls, 2);
}

TEST_F(memory_faults, a_lost_item_ends_the_stream) {
  auto held = serve_stream("w");
  const auto reading = open("w");
  EXPECT_EQ(writer_->send("1").value(), send_state::sent);
  broker_.drop_next("_INBOX.>", 1);
  EXPECT_EQ(writer_->send("2").value(), send_state::sent);
  EXPECT_FALSE(ended_.has_value());
  EXPECT_EQ(writer_->send("3").value(), send_state::sent);
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->code, ec::unreachable);
  EXPECT_EQ(items_, std::vector<std::string>{"1"});
  ASSERT_TRUE(cancelled_.has_value());
  EXPECT_EQ(cancelled_->code, ec::cancelled);
}

TEST_F(memory_faults, a_lost_last_item_is_noticed_at_the_end) {
  auto held = serve_stream("w");
  const auto reading = open("w");
  broker_.drop_next("_INBOX.>", 1);
  EXPECT_EQ(writer_->send("1").value(), send_state::sent);
  writer_->finish();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->code, ec::unreachable);
}

TEST_F(memory_faults, the_writer_notices_a_frozen_reader) {
  auto held = serve_stream("w");
  const auto reading = open("w");
  broker_.advance(milliseconds{60'000});
  EXPECT_FALSE(cancelled_.has_value());
  EXPECT_FALSE(ended_.has_value());
  broker_.set_frozen(*client_, true);
  broker_.advance(milliseconds{2'000});
  EXPECT_FALSE(cancelled_.has_value());
  broker_.advance(milliseconds{2'000});
  ASSERT_TRUE(cancelled_.has_value());
  EXPECT_EQ(cancelled_->code, ec::timeout);
  EXPECT_TRUE(writer_->closed());
}

TEST_F(memory_faults, the_reader_notices_a_frozen_writer) {
  auto held = serve_stream("w");
  const auto reading = open("w");
  broker_.set_frozen(*server_, true);
  broker_.advance(milliseconds{4'000});
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->code, ec::unreachable);
}

TEST_F(memory_faults, a_stream_that_nobody_accepts_times_out) {
  const auto held = server_->serve("w", [](const frame&) {});
  const auto reading = open("w");
  broker_.advance(milliseconds{9'999});
  EXPECT_FALSE(ended_.has_value());
  broker_.advance(milliseconds{1'001});
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->code, ec::timeout);
}

TEST_F(memory_faults, a_restarted_writer_ends_the_stream_at_the_next_keepalive) {
  auto held = serve_stream("w");
  const auto reading = open("w");
  // A new server process on the same subject knows nothing of the stream.
  const auto successor = broker_.connect();
  const auto other = successor->serve("w", [](const frame&) {});
  held.reset();
  broker_.advance(milliseconds{1'000});
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->code, ec::unavailable);
}

TEST_F(memory_faults, a_request_whose_reply_would_be_no_inbox_is_dropped) {
  std::vector<std::string> log;
  const auto records = client_->serve("argosy.log", [&](const frame& f) { log.push_back(f.data); });
  int asked = 0;
  const auto held = server_->serve("a", [&](const frame& request) {
    ++asked;
    static_cast<void>(server_->respond(request, "an answer"));
  });
  const auto streams = serve_stream("s");
  broker_.inject({"a", "argosy.log", {}, ""});
  headers open;
  open.set(header::stream, stream_kind::open);
  open.set(header::stream_id, "1");
  open.set(header::credit, "5");
  broker_.inject({"s", "argosy.log", open, ""});
  headers keep;
  keep.set(header::stream, stream_kind::keepalive);
  keep.set(header::stream_id, "unknown");
  broker_.inject({"s", "argosy.log", keep, ""});
  EXPECT_EQ(log.size(), 0u);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(writer_, nullptr);
  broker_.inject({"a", "_INBOX.x", {}, ""});
  broker_.inject({"a", "_R_.x.y", {}, ""});
  broker_.inject({"a", "", {}, ""});
  EXPECT_EQ(asked, 3);
}

TEST_F(memory_faults, a_stream_runs_no_further_ahead_of_its_reader_than_it_may) {
  const auto streams = serve_stream("s");
  const auto reader = client_->serve("_INBOX.x", [](const bus::frame&) {});
  headers frame;
  frame.set(header::stream, stream_kind::open);
  frame.set(header::stream_id, "1");
  frame.set(header::credit, "1000000");
  broker_.inject({"s", "_INBOX.x", frame, ""});
  ASSERT_NE(writer_, nullptr);
  EXPECT_EQ(writer_->credit(), stream_credit_max);
  for (std::uint32_t i = 0; i < stream_credit_max; ++i)
    EXPECT_EQ(writer_->send("", {}).value(), send_state::sent);
  EXPECT_EQ(writer_->send("", {}).value(), send_state::blocked);
  frame.set(header::stream, stream_kind::grant);
  broker_.inject({"s", "_INBOX.x", frame, ""});
  EXPECT_EQ(writer_->credit(), stream_credit_max);
}

TEST_F(memory_faults, connections_outlive_the_broker) {
  auto broker = std::make_unique<memory_broker>();
  const auto lonely = broker->connect();
  broker.reset();
  EXPECT_EQ(lonely->status(), link_status::disconnected);
  EXPECT_EQ(lonely->publish("a", "").error().code, ec::unreachable);
}

}  // namespace
}  // namespace argosy::bus
