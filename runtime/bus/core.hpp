// SPDX-License-Identifier: Apache-2.0
// The core is the common part of all connections. It keeps pending requests and the streams of both
// sides, and ends them when the link fails. The connection and everything that it has handed out
// share it. It is internal to the bus.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/border/answer_rates.hpp"
#include "runtime/bus/guarded.hpp"
#include "runtime/bus/transport.hpp"

namespace argosy::bus {

class stream_reader;
class credit_writer;

/// The values of header::stream, by which the frames of a stream are told apart.
namespace stream_kind {
inline constexpr std::string_view open = "open";            ///< Reader to writer.
inline constexpr std::string_view grant = "grant";          ///< Reader to writer.
inline constexpr std::string_view keepalive = "keepalive";  ///< Reader to writer, answered.
inline constexpr std::string_view cancel = "cancel";        ///< Reader to writer.
inline constexpr std::string_view alive = "alive";          ///< Writer to reader.
inline constexpr std::string_view item = "item";            ///< Writer to reader.
inline constexpr std::string_view end = "end";              ///< Writer to reader.
}  // namespace stream_kind

class core : public std::enable_shared_from_this<core> {
 public:
  core(std::unique_ptr<transport> below, std::shared_ptr<timer_queue> timers);

  result<void> start();
  result<void> publish(frame content);
  std::string request(frame content, std::chrono::milliseconds timeout, reply_handler done);
  /// Ends the request of this number with this error, and tells whoever serves it.
  void give_up(const std::string& inbox, error why);
  result<subscription> serve(std::string_view pattern, frame_handler handler);
  stream open_stream(frame content, const stream_options& options, stream_events events);
  result<std::shared_ptr<stream_writer>> accept_stream(const frame& request,
                                                       stream_writer_events events);
  void on_status(status_handler handler);
  void close();

  [[nodiscard]] transport& below() const noexcept { return *below_; }
  [[nodiscard]] timer_queue& timers() const noexcept { return *timers_; }
  [[nodiscard]] border::answer_rates& answers() noexcept { return answers_; }
  /// How long until more may be sent to the caller, as caller_key() names him.
  [[nodiscard]] timer_queue::duration answers_wait(const std::string& caller) const {
    return answers_.wait(caller, timers_->now());
  }
  void count_answer(const std::string& caller, std::uint64_t bytes) {
    answers_.sent(caller, bytes, timers_->now());
  }
  /// "'subject' at nats://127.0.0.1:4222", for messages.
  [[nodiscard]] std::string place(std::string_view subject) const;
  void forget_reader(const std::string& inbox);
  void forget_writer(const std::string& name);

 private:
  struct pending {
    std::string subject;
    reply_handler done;
    timer_queue::ticket timer;
  };
  using frame_guard = guarded<frame_handler>;
  class served;

  std::string next_inbox(std::string_view subject);
  void on_inbox(delivery arrived);
  void on_reply(const std::string& inbox, delivery arrived);
  void on_served(frame_guard& handler, delivery arrived);
  /// Lets the frame say when it is given up.
  void follow(frame& request);
  void mark_given_up(const frame& arrived, std::string_view number);
  void on_control(const frame& arrived, std::string_view kind);
  void refuse_malformed(const frame& arrived);
  void on_link(link_status now);
  void on_denied(std::string_view subject);
  void finish_request(const std::string& inbox, result<frame> outcome);
  void fail_all(ec code, const std::string& why);
  std::shared_ptr<stream_reader> find_reader(const std::string& inbox);
  std::shared_ptr<credit_writer> find_writer(const std::string& name);

  std::unique_ptr<transport> below_;
  std::shared_ptr<timer_queue> timers_;
  border::answer_rates answers_;
  std::vector<std::unique_ptr<subscription::impl>> inboxes_;

  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t next_token_ = 0;
  int running_replies_ = 0;
  bool closed_ = false;
  std::unordered_map<std::string, pending> pending_;
  std::unordered_map<std::string, std::shared_ptr<stream_reader>> readers_;
  /// Each by the key of its stream and by its inbox.
  std::unordered_map<std::string, std::weak_ptr<credit_writer>> writers_;
  /// The requests that are served and can be given up, by subject and number.
  std::unordered_map<std::string, std::weak_ptr<std::atomic<bool>>> followed_;
  std::vector<std::weak_ptr<frame_guard>> served_;
  std::shared_ptr<guarded<status_handler>> status_;
};

}  // namespace argosy::bus
