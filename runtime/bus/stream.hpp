// SPDX-License-Identifier: Apache-2.0
// A server stream is one request, many items, and an end. The reader grants credit in items, and
// the writer never has more of them under way. Both sides notice a peer that has gone: the reader
// sends a keepalive, the writer answers it, and either gives up after three missed ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/bus/frame.hpp"

namespace argosy::bus {

/// A writer sends no more items ahead of what the reader has asked for, whatever he says: one who
/// has gone may have granted them all.
inline constexpr std::uint32_t stream_credit_max = 4'096;

struct stream_options {
  /// The number of items that may be under way at once, 1 to stream_credit_max.
  std::uint32_t credit = 64;
  /// An item counts as consumed when on_item returns; with this, only when grant() says so.
  bool manual_grants = false;
  /// The longest time until the far side has accepted the stream.
  std::chrono::milliseconds open_timeout{10'000};
  std::chrono::milliseconds keepalive{5'000};
};

struct stream_events {
  std::function<void(frame)> on_item{};
  /// Called exactly once, unless the stream was cancelled first, with success when the writer
  /// finished. A lost item or connection gives ec::unreachable: open the stream again from the last
  /// position seen.
  std::function<void(result<void>)> on_end{};
};

/// The reader's end. Destroying it cancels. After cancel() returns no callback runs any more,
/// unless cancel() was called from within it.
class stream {
 public:
  class impl {
   public:
    virtual ~impl() = default;
    virtual void grant(std::uint32_t items) = 0;
  };

  stream() = default;
  explicit stream(std::unique_ptr<impl> held) : impl_(std::move(held)) {}
  void cancel() { impl_.reset(); }
  /// Says that `items` more items were consumed. Only with stream_options::manual_grants.
  void grant(std::uint32_t items) {
    if (impl_) impl_->grant(items);
  }
  [[nodiscard]] explicit operator bool() const noexcept { return impl_ != nullptr; }

 private:
  std::unique_ptr<impl> impl_;
};

enum class send_state : std::uint8_t {
  sent,
  blocked,  ///< There is no credit, and the item was not taken. Send it again after on_credit.
  /// The stream is finished or cancelled, or the reader has gone; nothing is sent any more.
  closed,
};

struct stream_writer_events {
  /// Called when there is credit again after send() returned `blocked`.
  std::function<void()> on_credit{};
  /// Called when the reader cancelled (ec::cancelled), fell silent (ec::timeout) or the connection
  /// is gone (ec::unreachable); at most once, and not after finish().
  std::function<void(error)> on_cancel{};
};

/// The writer's end. Destroying it unfinished ends the stream with ec::unavailable.
class stream_writer {
 public:
  virtual ~stream_writer() = default;
  /// An error (too_large, unreachable) takes nothing and leaves the stream open.
  virtual result<send_state> send(std::string_view data, const headers& with = {}) = 0;
  /// The number of items that can be sent now.
  [[nodiscard]] virtual std::uint64_t credit() const = 0;
  [[nodiscard]] virtual bool closed() const = 0;
  virtual void finish() = 0;
  virtual void finish(const error& err) = 0;
};

}  // namespace argosy::bus
