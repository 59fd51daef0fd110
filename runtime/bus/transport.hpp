// SPDX-License-Identifier: Apache-2.0
// This file declares what each kind of bus implements itself: moving frames by subject. Requests,
// time-outs and streams are built on top of it once, in core. Internal to the bus.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bus/connection.hpp"
#include "runtime/bus/timer_queue.hpp"

namespace argosy::bus {

struct delivery {
  frame content;
  /// True when this is no frame of a peer but says that nobody serves the subject of the frame that
  /// was sent with this reply subject.
  bool no_responders = false;
  /// True when the frame has headers that cannot be read. `content` has none of them.
  bool malformed = false;
};

struct transport_events {
  std::function<void(link_status)> on_status{};
  /// The server refused that something be published to the subject.
  std::function<void(std::string_view subject)> on_denied{};
};

class transport {
 public:
  virtual ~transport() = default;

  /// Called before any other function. The events may come on any thread until close() returns.
  virtual void start(transport_events events) = 0;
  /// The frame is valid and within max_payload().
  virtual result<void> publish(frame content) = 0;
  /// Deliveries of one subscription come one at a time and in order. Destroying the result ends
  /// them, perhaps after one more.
  [[nodiscard]] virtual result<std::unique_ptr<subscription::impl>> subscribe(
      std::string_view pattern, std::function<void(delivery)> deliver) = 0;
  /// The prefix of the reply subjects, without a dot at its end. No other connection has the same.
  [[nodiscard]] virtual std::string inbox() const = 0;
  /// The prefix for replies to requests to this subject: inbox(), unless they have a place of their
  /// own.
  [[nodiscard]] virtual std::string inbox_for(std::string_view /*subject*/) const {
    return inbox();
  }
  /// The patterns of the subjects to which replies come, whatever is asked.
  [[nodiscard]] virtual std::vector<std::string> inboxes() const { return {inbox() + ".*"}; }
  /// Whether an answer to a frame that came on `subject` may go to `reply`, which is an inbox.
  [[nodiscard]] virtual bool may_reply(std::string_view /*subject*/,
                                       std::string_view /*reply*/) const {
    return true;
  }
  [[nodiscard]] virtual std::size_t max_payload() const = 0;
  [[nodiscard]] virtual std::string server() const = 0;
  /// See connection::server_id().
  [[nodiscard]] virtual std::string server_id() const { return {}; }
  [[nodiscard]] virtual link_status status() const = 0;
  /// See connection::refusals().
  [[nodiscard]] virtual std::vector<refusal> refusals() { return {}; }
  virtual result<void> flush(std::chrono::milliseconds timeout) = 0;
  /// Tells whoever runs the process what no call returns.
  virtual void report(const std::string& /*text*/) {}
  /// See connection::before_blocking().
  virtual void before_blocking() {}
  /// After it returns nothing is delivered and no event comes.
  virtual void close() = 0;
};

/// Makes a connection out of a transport. ec as transport::subscribe() says.
[[nodiscard]] result<std::shared_ptr<connection>> make_connection(
    std::unique_ptr<transport> below, std::shared_ptr<timer_queue> timers);

}  // namespace argosy::bus
