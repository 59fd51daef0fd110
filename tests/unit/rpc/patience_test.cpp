// SPDX-License-Identifier: Apache-2.0
// Goal: a caller who keeps the server waiting is let go after a while, and nobody else. Method: as
// in server_test.cpp, with a bound of 200 ms; clients whose connections take little in advance.
#include <gmock/gmock.h>

#include "tests/unit/rpc/server_fixture.hpp"

namespace argosy::rpc {

namespace {

using ::grpc::StatusCode;

class rpc_patience : public rpc_server {
 protected:
  rpc_patience() { config.caller_within = std::chrono::milliseconds{200}; }

  void start_with_little_room() {
    start();
    ::grpc::ChannelArguments little;
    little.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    little.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 << 10);
    // The workers would pack answers for as long as they take.
    little.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1);
    channel = ::grpc::CreateCustomChannel(running->address(), ::grpc::InsecureChannelCredentials(),
                                          little);
  }

  /// A call that never sends its request; returns the status that it gets.
  [[nodiscard]] ::grpc::Status status_without_request(const char* path) const {
    ::grpc::GenericStub stub{channel};
    ::grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds{20});
    ::grpc::CompletionQueue queue;
    const auto call = stub.PrepareCall(&context, path, &queue);
    void* tag = nullptr;
    bool ok = false;
    call->StartCall(this_tag());
    queue.Next(&tag, &ok);
    ::grpc::Status out;
    call->Finish(&out, this_tag());
    queue.Next(&tag, &ok);
    return out;
  }

 private:
  static void* this_tag() { return nullptr; }
};

TEST_F(rpc_patience, lets_go_of_a_caller_who_sends_no_request) {
  start();
  for (const auto* path : {call_path, watch_path})
    EXPECT_NE(status_without_request(path).error_code(), StatusCode::DEADLINE_EXCEEDED) << path;
}

TEST_F(rpc_patience, lets_go_of_a_reader_who_takes_nothing_and_of_nobody_else) {
  accept_streams();
  start_with_little_room();
  testing::rpc_call idle{channel, watch_path, ""};
  const auto quiet = opened.wait().value();
  opened.forget();
  testing::rpc_call stuck{channel, watch_path, ""};
  const auto writer = opened.wait().value();
  const auto item = noise(std::size_t{256} << 10);
  int taken = 0;
  while (taken < 1'000 && writer->send(item).value() == bus::send_state::sent) ++taken;
  EXPECT_LT(taken, 1'000);
  ASSERT_TRUE(cancelled.wait()) << "whoever takes nothing was not let go";
  EXPECT_TRUE(writer->closed());
  // The other one had nothing to take for as long.
  EXPECT_EQ(quiet->send("one").value(), bus::send_state::sent);
  EXPECT_EQ(idle.next(), "one");
}

TEST_F(rpc_patience, lets_go_of_a_caller_who_does_not_take_his_answer) {
  config.caller_within = std::chrono::milliseconds{500};
  // It is made before, since that takes longer than the bound on a busy machine.
  const auto answer = noise(std::size_t{3} << 20);
  arrival<bool> answered;
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    if (request.data != "x") {
      static_cast<void>(api->respond_error(request, {ec::not_found, "y"}));
      return;
    }
    static_cast<void>(api->respond(request, answer));
    answered.set(true);
  });
  start_with_little_room();
  testing::rpc_call call{channel, call_path, "x"};
  ASSERT_TRUE(answered.wait());
  // Answers arrive in their order: when a later one has come, this one waits for its caller.
  ASSERT_EQ(status_of(call_path, "y").error_code(), StatusCode::NOT_FOUND);
  // Two others are let go one after the other meanwhile, which takes twice the bound.
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(status_without_request(call_path).error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(call.next(), std::nullopt) << "the whole answer came after all";
  EXPECT_EQ(call.status().error_code(), StatusCode::CANCELLED);
}

}  // namespace

}  // namespace argosy::rpc
