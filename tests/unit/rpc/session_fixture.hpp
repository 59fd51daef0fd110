// SPDX-License-Identifier: Apache-2.0
// A session without a socket: a test gives it frames, and sees what it tells and sends.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/rpc/session/session_core.hpp"
#include "tests/support/rpc/frames.hpp"

namespace argosy::rpc {

namespace http2 = testing::http2;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

class rpc_session : public ::testing::Test, public session_events {
 protected:
  static constexpr const char* path = "/api.Submit/SubmitJobs";

  void opened(call_id id, call_head head) override {
    opens.push_back(id);
    heads.push_back(std::move(head));
    if (read_at_once) session.read(id, message_max, last_read);
  }
  void message(call_id, request what) override {
    messages.push_back(what.bytes);
    if (keeps_requests) kept.push_back(std::move(what));
  }
  void no_message(call_id id) override { without.push_back(id); }
  void written(call_id, std::uint32_t count) override { taken += count; }
  void gone(call_id id) override { left.push_back(id); }
  bool may_reset(boot_time) override { return ++resets <= resets_max; }

  /// Gives the bytes, and takes what is sent for it.
  bool give(const std::string& bytes) {
    const bool goes_on = session.receive(bytes, now);
    take();
    return goes_on;
  }
  std::vector<http2::seen> take(std::size_t at_most = std::size_t{16} << 20) {
    std::string out;
    session.produce(out, at_most, now);
    auto frames = http2::parse(out);
    sent.insert(sent.end(), frames.begin(), frames.end());
    return frames;
  }
  /// Opens a call; `flags` beside that its headers are whole.
  static std::string open(std::uint32_t stream, char flags = 0, const std::string& more = {}) {
    return http2::frame(http2::headers, static_cast<char>(http2::end_headers | flags), stream,
                        http2::call_block(path) + more);
  }
  static std::string reset(std::uint32_t stream) {
    return http2::frame(http2::rst_stream, 0, stream, http2::number(8));
  }
  static std::string data(std::uint32_t stream, const std::string& bytes, char flags = 0) {
    return http2::frame(http2::data, flags, stream, bytes);
  }
  bool was_sent(char type, std::uint32_t stream) const {
    for (const auto& each : sent)
      if (each.type == type && each.stream == stream) return true;
    return false;
  }
  /// Whether the caller was told to calm down.
  bool was_calmed() const {
    constexpr std::uint32_t enhance_your_calm = 11;
    for (const auto& each : sent)
      if (each.type == http2::goaway &&
          each.payload.substr(4, 4) == http2::number(enhance_your_calm))
        return true;
    return false;
  }
  void let_in() { EXPECT_TRUE(session.let_in(pool)); }
  /// What the calls of the connection have of the pool.
  [[nodiscard]] std::size_t held() const { return pool->taken() - connection_bytes; }

  boot_time now{1000s};
  session_limits limits{};
  session_core session{limits, *this, now};
  std::shared_ptr<byte_pool> pool = std::make_shared<byte_pool>(std::size_t{64} << 20);
  bool read_at_once = true;
  bool last_read = true;
  bool keeps_requests = false;
  std::size_t message_max = std::size_t{4} << 20;
  int resets = 0;
  int resets_max = 100;
  std::vector<call_id> opens;
  std::vector<call_head> heads;
  std::vector<std::string> messages;
  std::vector<request> kept;
  std::vector<call_id> without;
  std::vector<call_id> left;
  std::uint32_t taken = 0;
  std::vector<http2::seen> sent;
};

}  // namespace argosy::rpc
