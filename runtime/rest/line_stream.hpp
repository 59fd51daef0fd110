// SPDX-License-Identifier: Apache-2.0
// A stream of the bus that a thread reads, item after item.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/bus/connection.hpp"

namespace argosy::rest {

class line_stream {
 public:
  /// So many items wait here for a reader who takes nothing; see the window of gRPC.
  static constexpr std::uint32_t under_way_max = 8;

  /// What there is next: an item, or the end, or neither within the time.
  struct next_one {
    std::optional<std::string> item;
    std::optional<result<void>> end;
  };

  /// Opens the stream; the object must stay where it is.
  void open(bus::connection& on, const std::string& subject, const std::string& request,
            const bus::headers& with) {
    bus::stream_events events;
    events.on_item = [this](bus::frame item) {
      const std::scoped_lock lock{guard_};
      waiting_.push_back(std::move(item.data));
      there_.notify_all();
    };
    events.on_end = [this](result<void> how) { end(std::move(how)); };
    bus::stream_options options;
    options.manual_grants = true;
    options.credit = under_way_max;
    stream_ = on.open_stream(subject, request, with, options, std::move(events));
  }

  /// Ends it as if the writer had; the first end counts.
  void end(result<void> how) {
    const std::scoped_lock lock{guard_};
    if (!end_) end_ = std::move(how);
    there_.notify_all();
  }

  /// Waits for what is next, without taking it.
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock{guard_};
    return there_.wait_for(lock, at_most, [&] { return !waiting_.empty() || end_; });
  }

  next_one take() {
    next_one out;
    {
      const std::scoped_lock lock{guard_};
      if (waiting_.empty()) return {std::nullopt, end_};
      out.item = std::move(waiting_.front());
      waiting_.pop_front();
    }
    stream_.grant(1);
    return out;
  }

  /// The stream is let go before what its callbacks use.
  ~line_stream() { stream_.cancel(); }
  line_stream() = default;
  line_stream(const line_stream&) = delete;
  line_stream& operator=(const line_stream&) = delete;

 private:
  bus::stream stream_;
  std::mutex guard_;  ///< Guards what follows.
  std::condition_variable there_;
  std::deque<std::string> waiting_;
  std::optional<result<void>> end_;
};

}  // namespace argosy::rest
