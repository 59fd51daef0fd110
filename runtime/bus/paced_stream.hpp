// SPDX-License-Identifier: Apache-2.0
// A paced_stream is a server stream whose messages are all known when it begins: they go out as the
// reader grants credit, and then it ends. It may be called from any thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"

namespace argosy::bus {

class paced_stream : public std::enable_shared_from_this<paced_stream> {
 public:
  /// Accepts the request as a stream and begins to send. The stream lives until it has ended. Fails
  /// as connection::accept_stream() does.
  static result<void> begin(connection& to, const frame& request, std::deque<std::string> messages);

 private:
  explicit paced_stream(std::deque<std::string> messages) : unsent_(std::move(messages)) {}

  void send_more();
  /// Returns false when nothing more can be sent now, or ever.
  [[nodiscard]] bool send_one(stream_writer& writer, const std::string& message);
  void end();

  /// Guards the members below. It is not held while sending, which may call back.
  std::mutex mutex_;
  std::shared_ptr<stream_writer> writer_;
  std::deque<std::string> unsent_;
  /// Whether a thread is sending. Another thread that wants to send only notes that.
  bool sending_ = false;
  bool wanted_ = false;
};

}  // namespace argosy::bus
