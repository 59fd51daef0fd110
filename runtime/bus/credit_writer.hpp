// SPDX-License-Identifier: Apache-2.0
// A credit_writer is the writing end of a server stream. It is internal to the bus.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/bus/core.hpp"

namespace argosy::bus {

class credit_writer final : public stream_writer,
                            public std::enable_shared_from_this<credit_writer> {
 public:
  /// The request must have been checked: it has a reply subject, an id and credit. The server says
  /// to the inbox when nobody is there to read an item.
  credit_writer(std::shared_ptr<core> owner, const frame& request, std::string inbox,
                stream_writer_events events);
  ~credit_writer() override;

  /// Tells the reader that the stream is accepted, and begins to watch the time.
  result<void> start();
  result<send_state> send(std::string_view data, const headers& with) override;
  std::uint64_t credit() const override;
  bool closed() const override;
  void finish() override;
  void finish(const error& err) override;

  void on_control(std::string_view kind, const frame& arrived);
  /// Ends the stream from this side without telling the reader.
  void abandon(const error& why);

  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] const std::string& inbox() const noexcept { return inbox_; }
  /// The reader has gone without a word.
  void lose_reader();

 private:
  frame make_frame(std::string_view kind) const;
  bool mark_closed();
  void close_with(const error* err);
  void on_timer();
  void arm();
  /// Whether the reader has as much as his rate allows; then there is credit again in time.
  [[nodiscard]] bool waits_for_rate();
  void on_rate();
  void tell_credit();

  const std::shared_ptr<core> core_;
  const std::string subject_;
  const std::string reply_;
  const std::string id_;
  const std::string inbox_;
  const std::string caller_;  ///< By caller_key().
  const timer_queue::duration keepalive_;
  guarded<stream_writer_events> events_;

  /// The mutex is recursive, since in memory publishing may run callbacks that send again.
  mutable std::recursive_mutex mutex_;
  timer_queue::ticket timer_{};
  std::optional<timer_queue::ticket> rate_timer_;
  timer_queue::duration heard_at_{};
  std::uint64_t granted_ = 0;
  std::uint64_t sent_ = 0;
  bool blocked_ = false;
  bool closed_ = false;
};

}  // namespace argosy::bus
