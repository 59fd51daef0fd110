// SPDX-License-Identifier: Apache-2.0
// Goal: streams over gRPC are those of the bus, with their order, their end and their credit; and
// one connection has a bounded number of calls under way, of which further ones wait, while those
// of other connections are answered. Method: as in server_test.cpp.
#include <gmock/gmock.h>

#include "tests/unit/rpc/server_fixture.hpp"

namespace argosy::rpc {

namespace {

using ::grpc::StatusCode;
using ::testing::ElementsAre;

TEST_F(rpc_server, gives_a_stream_in_order_with_its_end) {
  config.stream_credit = 64;
  accept_streams();
  start();
  testing::rpc_call call{channel, watch_path, "from here"};
  const auto writer = opened.wait().value();
  std::vector<std::string> sent;
  for (int i = 0; i < 50; ++i) {
    sent.push_back(std::to_string(i));
    ASSERT_EQ(writer->send(sent.back()).value(), bus::send_state::sent);
  }
  writer->finish();
  EXPECT_EQ(call.rest(), sent);
  EXPECT_TRUE(call.status().ok());
}

TEST_F(rpc_server, ends_a_stream_with_its_error) {
  accept_streams();
  start();
  testing::rpc_call call{channel, watch_path, ""};
  const auto writer = opened.wait().value();
  ASSERT_TRUE(writer->send("one"));
  writer->finish({ec::not_found, "it is gone"});
  EXPECT_THAT(call.rest(), ElementsAre("one"));
  EXPECT_EQ(call.status().error_code(), StatusCode::NOT_FOUND);
}

TEST_F(rpc_server, holds_back_a_writer_whose_reader_does_not_read) {
  config.stream_credit = 4;
  accept_streams();
  start();
  // A reader whose connection takes little in advance.
  ::grpc::ChannelArguments little;
  little.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  little.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 << 10);
  channel =
      ::grpc::CreateCustomChannel(running->address(), ::grpc::InsecureChannelCredentials(), little);
  testing::rpc_call call{channel, watch_path, ""};
  const auto writer = opened.wait().value();
  const auto item = noise(std::size_t{256} << 10);
  int taken = 0;
  while (taken < 1'000 && writer->send(item).value() == bus::send_state::sent) ++taken;
  EXPECT_GE(taken, 4);
  EXPECT_LT(taken, 1'000) << "the connection buffers, but not without end";
}

TEST_F(rpc_server, grants_further_items_for_those_that_were_read_while_the_stream_was_opened) {
  config.stream_credit = 4;
  start();
  arrival<bool> more;
  arrival<bool> all_read;
  // The thread that opens the stream delivers what is published meanwhile, and comes back from
  // there when the first items have been read.
  const auto held = api->serve("test.wait", [&](const bus::frame&) { all_read.wait(); }).value();
  serve("argosy.api.Event.Watch", [&](const bus::frame& request) {
    bus::stream_writer_events events;
    events.on_credit = [&] { more.set(true); };
    const auto writer = api->accept_stream(request, std::move(events)).value();
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(writer->send(std::to_string(i)).value(), bus::send_state::sent);
    EXPECT_EQ(writer->send("4").value(), bus::send_state::blocked);
    EXPECT_TRUE(api->publish("test.wait", ""));
    opened.set(writer);
  });
  testing::rpc_call call{channel, watch_path, ""};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(call.next(), std::to_string(i));
  all_read.set(true);
  ASSERT_TRUE(more.wait()) << "what was read was not granted again";
  EXPECT_EQ(opened.wait().value()->send("4").value(), bus::send_state::sent);
  EXPECT_EQ(call.next(), "4");
}

TEST_F(rpc_server, ends_the_stream_of_a_reader_who_goes) {
  accept_streams();
  start();
  testing::rpc_call call{channel, watch_path, ""};
  const auto writer = opened.wait().value();
  call.context().TryCancel();
  EXPECT_EQ(cancelled.wait().value().code, ec::cancelled);
  EXPECT_EQ(call.status().error_code(), StatusCode::CANCELLED);
}

/// A connection of its own.
std::shared_ptr<::grpc::Channel> connect(const std::string& address) {
  ::grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return ::grpc::CreateCustomChannel(address, ::grpc::InsecureChannelCredentials(), own);
}

TEST_F(rpc_server, gives_a_connection_no_more_calls_than_it_may_have_and_answers_others) {
  config.streams_max = 2;
  start();
  std::vector<std::shared_ptr<bus::stream_writer>> writers;
  auto streams = api->serve("argosy.api.Event.Watch", [&](const bus::frame& request) {
    auto writer = api->accept_stream(request, {}).value();
    static_cast<void>(writer->send("open"));
    writers.push_back(std::move(writer));
  });
  ASSERT_TRUE(streams);
  echo();
  const auto greedy = connect(running->address());
  auto first = std::make_unique<testing::rpc_call>(greedy, watch_path, "");
  EXPECT_EQ(first->next(), "open");
  testing::rpc_call second{greedy, watch_path, ""};
  EXPECT_EQ(second.next(), "open");
  testing::rpc_call third{
      greedy, watch_path, "", [](::grpc::ClientContext& context) {
        context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds{300});
      }};
  EXPECT_FALSE(third.next());
  EXPECT_EQ(third.status().error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(writers.size(), 2U) << "the third one never came to the server";
  const auto other = connect(running->address());
  testing::rpc_call answered{other, call_path, "hello"};
  EXPECT_EQ(answered.next(), "hello");
  // When one ends, the next may come.
  first.reset();
  testing::rpc_call fourth{greedy, watch_path, ""};
  EXPECT_EQ(fourth.next(), "open");
}

}  // namespace

}  // namespace argosy::rpc
