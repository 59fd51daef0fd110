// SPDX-License-Identifier: Apache-2.0
// What a session knows of one call; only session_core and its callbacks see it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/rpc/session/session_core.hpp"

namespace argosy::rpc {

struct session_core::call {
  explicit call(call_id number, boot_time now) : id(number), opened(now), since(now), moved(now) {}

  call_id id;
  boot_time opened;
  // Its headers.
  call_head head{};
  std::string method{};
  std::string content_type{};
  std::string encoding{};
  std::size_t list_bytes = 0;  ///< As HTTP/2 counts them.
  std::size_t kept_bytes = 0;  ///< Those that are kept.
  bool large_head = false;
  std::optional<boot_time> deadline{};
  // Its state.
  bool told = false;      ///< opened() was called.
  bool finished = false;  ///< Nothing is told any more.
  bool half_closed = false;
  bool head_sent = false;
  bool closed = false;  ///< It is not there any more.
  /// Since when it is the caller's turn: to send his request, or to take a message. Zero: it is
  /// not.
  boot_time since;
  boot_time moved;  ///< When bytes of it came or went last.
  // What comes.
  bool wants = false;      ///< read() was called.
  bool last_read = false;  ///< The message that was asked for is the last one.
  std::size_t message_max = 0;
  std::string in{};
  std::size_t unread = 0;  ///< Bytes that the caller was not given room for again.
  // What goes.
  std::vector<std::pair<std::string, std::string>> metadata{};
  std::vector<std::string> out{};  ///< Few: a writer waits until they were taken.
  std::size_t out_at = 0;          ///< So much of the first one was written.
  std::size_t out_bytes = 0;
  std::uint32_t written = 0;  ///< Messages, not told yet.
  std::optional<status> last{};
  std::size_t fields = 0;  ///< Bytes of the headers of the answer.
  bool apart = false;      ///< Whoever serves it counts it, see session_core::count_apart().
  std::size_t held = 0;    ///< Bytes taken from the pool.
};

}  // namespace argosy::rpc
