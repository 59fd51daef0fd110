// SPDX-License-Identifier: Apache-2.0
// Goal: strangers who flood the gRPC port, with connections, calls or resets, take no memory, delay
// nobody, and do not hold up the end of the server; a connection gets no more calls than it may
// have. Method: the real argosyd; frames of HTTP/2 as bytes on sockets. Larger floods, whose times
// are measured, are in tests/faults/strangers.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "messages/proto/api/event.pb.h"
#include "tests/integration/hostile/hostile_fixture.hpp"
#include "tests/support/rpc/frames.hpp"

namespace argosy::testing {

namespace {

constexpr long growth_max = 64L << 10;  // kB

/// Calls that are opened, and reset at once.
std::string resets(std::uint32_t count) {
  const auto block = http2::call_block("/api.Submit/SubmitJobs");
  constexpr std::uint32_t cancel = 8;
  std::string out = http2::greeting();
  for (std::uint32_t i = 0; i < count; ++i)
    out += http2::frame(http2::headers, http2::end_headers, 2 * i + 1, block) +
           http2::frame(http2::rst_stream, 0, 2 * i + 1, http2::number(cancel));
  return out;
}

/// For a thousand connections.
void allow_many_files() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

TEST_F(hostile, calls_that_are_reset_take_nothing_from_others) {
  expect_that_others_are_answered("nothing");
  const auto before = status_of_server("VmHWM");
  const auto flood = resets(10'000);
  for (int i = 0; i < 10; ++i) const raw_connection one{port_of(grpc_url), flood};
  expect_that_others_are_answered("100,000 calls that were reset");
  EXPECT_LT(status_of_server("VmHWM") - before, growth_max);
}

TEST_F(hostile, a_thousand_strangers_who_say_nothing_keep_nobody_out) {
  allow_many_files();
  expect_that_others_are_answered("nothing");
  const auto before = status_of_server("VmHWM");
  std::vector<std::unique_ptr<raw_connection>> open;
  for (int i = 0; i < 1'000; ++i)
    open.push_back(std::make_unique<raw_connection>(port_of(grpc_url), http2::greeting()));
  expect_that_others_are_answered("a thousand connections");
  // The one who is known keeps his connection, and a new one gets his.
  ::grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  rpc_call call{::grpc::CreateCustomChannel(grpc_url, ::grpc::InsecureChannelCredentials(), own),
                "/argosy.v1.Access/WhoAmI", ""};
  EXPECT_TRUE(call.next());
  EXPECT_LT(status_of_server("VmHWM") - before, growth_max);
}

TEST_F(hostile, a_flood_does_not_hold_up_the_end) {
  const auto port = port_of(grpc_url);
  const auto flood = resets(10'000);
  std::atomic<bool> over{false};
  std::thread attacker{[&] {
    while (!over)
      if (const auto socket = tests::connect_loopback(port); socket >= 0) {
        static_cast<void>(::send(socket, flood.data(), flood.size(), MSG_NOSIGNAL));
        ::close(socket);
      }
  }};
  expect_that_others_are_answered("the first of the flood");
  // An end that takes longer than 5 s is none in order, and has another code.
  EXPECT_EQ(world.stop(), 0);
  over = true;
  attacker.join();
}

/// Acknowledges the settings of the server, and does not obey them: opens calls that send no
/// request.
std::string many_calls(std::uint32_t count, const std::string& path) {
  auto out = http2::frame(http2::settings, http2::ack, 0, {});
  for (std::uint32_t i = 0; i < count; ++i)
    out += http2::frame(http2::headers, http2::end_headers, 2 * i + 1, http2::call_block(path));
  return out;
}

TEST_F(hostile, a_connection_that_opens_more_calls_than_it_may_gets_no_more) {
  const auto before = status_of_server("VmHWM");
  std::vector<std::unique_ptr<raw_connection>> open;
  for (int i = 0; i < 3; ++i) {
    open.push_back(std::make_unique<raw_connection>(
        port_of(grpc_url), http2::preface + http2::frame(http2::settings, 0, 0, {})));
    // Its first frame has the settings; what is acknowledged before counts for nothing.
    open.back()->wait_for(http2::head_bytes);
    open.back()->send(many_calls(30'000, "/api.Event/GetJobSetEvents"));
    expect_that_others_are_answered("30,000 calls on one connection");
  }
  EXPECT_LT(status_of_server("VmHWM") - before, 192 << 10) << "kB for 90,000 calls";
}

}  // namespace

}  // namespace argosy::testing
