// SPDX-License-Identifier: Apache-2.0
// A stream_reader is the reading end of a server stream. It is internal to the bus.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "runtime/bus/core.hpp"

namespace argosy::bus {

class stream_reader : public std::enable_shared_from_this<stream_reader> {
 public:
  stream_reader(std::shared_ptr<core> owner, std::string subject, std::string inbox,
                const stream_options& options, stream_events events);

  /// Sets the headers with which the stream is asked for.
  void mark_open(headers& target) const;
  /// Begins to watch the time.
  void start();
  void on_frame(frame arrived);
  void grant(std::uint32_t items);
  /// Tells the user that the stream has ended, once.
  void end(result<void> outcome);
  void cancel();

  [[nodiscard]] const std::string& subject() const noexcept { return subject_; }

 private:
  void on_item(frame arrived);
  void consumed(std::uint64_t items);
  void on_timer();
  void arm();
  void control(std::string_view kind, std::uint64_t credit);
  void leave();

  const std::shared_ptr<core> core_;
  const std::string subject_;
  const std::string inbox_;
  const stream_options options_;
  guarded<stream_events> events_;

  std::mutex mutex_;
  timer_queue::ticket timer_{};
  timer_queue::duration opened_at_{};
  timer_queue::duration heard_at_{};
  std::uint64_t received_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t granted_ = 0;
  bool accepted_ = false;
  bool ended_ = false;
};

}  // namespace argosy::bus
