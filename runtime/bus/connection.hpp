// SPDX-License-Identifier: Apache-2.0
// A connection to the bus publishes frames, makes and answers requests, and opens server streams
// with credit. It is the one seam through which processes talk. One implementation is in memory,
// the other over NATS.
//
// Every function is safe to call from any thread, also from callbacks. Callbacks run on threads of
// the implementation (in memory: on the thread that published). They must be quick and must not
// throw: a slow handler delays its own subscription, and a slow callback for a reply or a stream
// delays all replies of the connection. Calls of one handler, or for one stream, never overlap. Who
// ends a handler or a stream waits for its running call, and must not hold a lock that it takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/border/answer_rate_core.hpp"
#include "runtime/bus/frame.hpp"
#include "runtime/bus/stream.hpp"

namespace argosy::bus {

enum class link_status : std::uint8_t {
  connected,
  /// It reconnects by itself, also where log-ins were refused; meanwhile requests and publishes
  /// fail with ec::unreachable.
  disconnected,
  closed,  ///< close() was called, and nothing works any more.
};

[[nodiscard]] std::string_view to_string(link_status status) noexcept;

/// A right that the server does not give a connection any more.
struct refusal {
  std::string subject;  ///< Or the pattern that was served.
  bool hears = false;   ///< Nothing is heard there; otherwise nothing can be sent there.

  friend bool operator==(const refusal&, const refusal&) = default;
};

/// Ends the subscription when destroyed. Afterwards its handler does not run any more: the
/// destructor waits for a running call, unless it is called from within the handler. What arrives
/// before the server has heard of it is lost; flush() makes sure that it has.
class subscription {
 public:
  class impl {
   public:
    virtual ~impl() = default;
  };

  subscription() = default;
  explicit subscription(std::unique_ptr<impl> held) : impl_(std::move(held)) {}
  void reset() { impl_.reset(); }
  [[nodiscard]] explicit operator bool() const noexcept { return impl_ != nullptr; }

 private:
  std::unique_ptr<impl> impl_;
};

using frame_handler = std::function<void(frame)>;
/// Takes the reply or the error of a request. It is called exactly once.
using reply_handler = std::function<void(result<frame>)>;
using status_handler = std::function<void(link_status)>;

/// A connection. All functions may fail with ec::unreachable (there is no connection),
/// ec::no_responders (nobody serves the subject), ec::denied (the server refused the subject),
/// ec::timeout, ec::too_large (the frame is over max_payload(); the message has both sizes),
/// ec::cancelled (the connection was closed) and ec::invalid_argument (subject or headers). Each
/// message names the subject and the server.
class connection {
 public:
  virtual ~connection() = default;

  /// Publishes a frame. Success says only that the frame was handed over.
  virtual result<void> publish(std::string_view subject, std::string_view data,
                               const headers& with = {}) = 0;

  /// The callback may run before request() returns. A reply that carries an error becomes that
  /// error. After ec::timeout or ec::unreachable it is unknown whether the request took effect.
  /// Whoever serves it is told for how long it waits, and when it has waited for so long. Returns
  /// the request's number, for give_up().
  virtual std::string request(std::string_view subject, std::string_view data, const headers& with,
                              std::chrono::milliseconds timeout, reply_handler done) = 0;

  /// Ends a request with ec::cancelled, unless it has ended, and tells whoever serves it that
  /// nobody waits any more. It is unknown whether the request took effect.
  virtual void give_up(const std::string& request) = 0;

  /// Does what request() does and blocks up to the time-out, for callers without actors and tests.
  [[nodiscard]] result<frame> request_sync(std::string_view subject, std::string_view data,
                                           const headers& with, std::chrono::milliseconds timeout);

  /// Calls the handler for every frame under the pattern, one at a time and in order.
  [[nodiscard]] virtual result<subscription> serve(std::string_view pattern,
                                                   frame_handler handler) = 0;

  /// Answers a request. Fails with ec::invalid_argument if the request expects no reply.
  virtual result<void> respond(const frame& request, std::string_view data,
                               const headers& with = {}) = 0;
  virtual result<void> respond_error(const frame& request, const error& err) = 0;

  /// From now on each caller, as caller_key() tells them apart by subject, is sent answers and
  /// items of streams at this rate. Streams wait by themselves; who serves requests asks
  /// answers_wait().
  virtual void limit_answers(const border::answer_rate& rate) = 0;
  /// How long it takes until more should be answered to this caller. Zero is now.
  [[nodiscard]] virtual std::chrono::nanoseconds answers_wait(const std::string& caller) const = 0;

  /// Opens a server stream; the far handler calls accept_stream(). Failures come through
  /// stream_events::on_end, also immediate ones.
  [[nodiscard]] virtual stream open_stream(std::string_view subject, std::string_view data,
                                           const headers& with, const stream_options& options,
                                           stream_events events) = 0;

  /// Takes over, for many replies, a frame that the handler of serve() got from open_stream().
  /// Fails with ec::invalid_argument if the caller did not ask for a stream.
  [[nodiscard]] virtual result<std::shared_ptr<stream_writer>> accept_stream(
      const frame& request, stream_writer_events events) = 0;

  /// The largest frame in bytes, data and headers together.
  [[nodiscard]] virtual std::size_t max_payload() const = 0;
  /// Returns where this is connected to, for messages. It never shows a token.
  [[nodiscard]] virtual std::string server() const = 0;
  /// The id of the nats-server at the other end, which has a new one at each start; empty without a
  /// link or on another bus.
  [[nodiscard]] virtual std::string server_id() const { return {}; }
  [[nodiscard]] virtual link_status status() const = 0;
  /// Returns what the server has refused while this connection worked and, as far as is known,
  /// still does. Whoever calls this every few seconds is heard there again as soon as he may be.
  [[nodiscard]] virtual std::vector<refusal> refusals() { return {}; }
  /// Replaces the callback for changes of the status; null removes it.
  virtual void on_status(status_handler handler) = 0;

  /// Waits until the server has everything published so far. Fails with ec::timeout or
  /// ec::unreachable.
  virtual result<void> flush(std::chrono::milliseconds timeout) = 0;

  /// Fails what is pending with ec::cancelled and ends all subscriptions. No callback runs after it
  /// returns. It must not be called from a callback. A repeated call does nothing.
  virtual void close() = 0;

 protected:
  /// Lets a thread that is about to block deliver what only it could deliver.
  virtual void before_blocking() {}
};

}  // namespace argosy::bus
