// SPDX-License-Identifier: Apache-2.0
// Goal: a connection over gRPC that opens more calls than it may have gets no more, even if it does
// not obey what the server told it, and others are answered. Method: the real argosyd; frames of
// HTTP/2 as bytes on a socket.
#include <gmock/gmock.h>

#include "messages/proto/api/event.pb.h"
#include "tests/integration/hostile/hostile_fixture.hpp"
#include "tests/support/rpc/frames.hpp"

namespace argosy::testing {

namespace {

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
