// SPDX-License-Identifier: Apache-2.0
// Goal: a connection over gRPC that opens more calls than it may have gets no more, even if it does
// not obey what the server told it, and others are answered. Method: the real argosyd; frames of
// HTTP/2 as bytes on a socket.
#include <gmock/gmock.h>

#include "messages/proto/api/event.pb.h"
#include "tests/integration/hostile/hostile_fixture.hpp"

namespace argosy::testing {

namespace {

std::string frame(char type, char flags, std::uint32_t stream, const std::string& data) {
  std::string out;
  for (int shift = 16; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(data.size() >> shift));
  out.push_back(type);
  out.push_back(flags);
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(stream >> shift));
  return out + data;
}

/// A header whose name is this one of HPACK's static table.
std::string header(const std::string& index, const std::string& value) {
  return index + static_cast<char>(value.size()) + value;
}

constexpr const char* preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t frame_head_bytes = 9;

/// Acknowledges the settings of the server, and does not obey them: opens calls that send no
/// request.
std::string many_calls(std::uint32_t count, const std::string& path) {
  const std::string method_and_scheme = "\x83\x86";
  const auto block = method_and_scheme + header("\x01", "localhost") + header("\x04", path) +
                     header("\x0f\x10", "application/grpc") + std::string("\0\x02te", 4) + "\x08" +
                     "trailers";
  auto out = frame(4, 1, 0, {});
  for (std::uint32_t i = 0; i < count; ++i) out += frame(1, 4, 2 * i + 1, block);
  return out;
}

TEST_F(hostile, a_connection_that_opens_more_calls_than_it_may_gets_no_more) {
  const auto before = status_of_server("VmHWM");
  std::vector<std::unique_ptr<raw_connection>> open;
  for (int i = 0; i < 3; ++i) {
    open.push_back(
        std::make_unique<raw_connection>(port_of(grpc_url), preface + frame(4, 0, 0, {})));
    // Its first frame has the settings; what is acknowledged before counts for nothing.
    open.back()->wait_for(frame_head_bytes);
    open.back()->send(many_calls(30'000, "/api.Event/GetJobSetEvents"));
    expect_that_others_are_answered("30,000 calls on one connection");
  }
  EXPECT_LT(status_of_server("VmHWM") - before, 192 << 10) << "kB for 90,000 calls";
}

}  // namespace

}  // namespace argosy::testing
