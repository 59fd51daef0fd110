// SPDX-License-Identifier: Apache-2.0
// Goal: one connection has a bounded number of calls under way; its further ones wait, and those of
// other connections are answered. Method: as in server_test.cpp, with streams that do not end.
#include <gmock/gmock.h>

#include "tests/unit/rpc/server_fixture.hpp"

namespace argosy::rpc {

namespace {

using ::grpc::StatusCode;
using namespace std::chrono_literals;

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
  testing::rpc_call third{greedy, watch_path, "", [](::grpc::ClientContext& context) {
                            context.set_deadline(std::chrono::system_clock::now() + 300ms);
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
