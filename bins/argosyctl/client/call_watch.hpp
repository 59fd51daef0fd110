// SPDX-License-Identifier: Apache-2.0
// A call_watch makes calls and finds out when the server that had one in its hands is no more, so
// that nobody waits for an answer that cannot come. While a call is unanswered, it asks every half
// second who serves. If nobody did for a moment, or another process does than before, whoever got
// the call has gone; the call then fails with ec::unreachable as soon as somebody serves again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "runtime/bus/connection.hpp"

namespace argosy::ctl {

class call_watch {
 public:
  /// `ask_who` sends a question to the server and calls back with what tells one process of it
  /// from the next, or with the error.
  using identity_handler = std::function<void(result<std::string>)>;
  using identity_source = std::function<void(identity_handler)>;

  call_watch(std::shared_ptr<bus::connection> connection, identity_source ask_who);
  ~call_watch();
  call_watch(const call_watch&) = delete;
  call_watch& operator=(const call_watch&) = delete;

  /// Does what connection::request() does. The callback runs on a thread of the connection or of
  /// this object.
  void request(const std::string& subject, const std::string& data, const bus::headers& with,
               std::chrono::milliseconds timeout, bus::reply_handler done);

 private:
  struct state;

  std::shared_ptr<bus::connection> connection_;
  std::shared_ptr<state> state_;
};

}  // namespace argosy::ctl
