// SPDX-License-Identifier: Apache-2.0
// Reads the events of one job set, on one thread. When the connection breaks, it reads on behind
// the last event that was seen, so that no event is missing and none comes twice. A server that
// does not have that event any more is read from the beginning, which take_restart() tells.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "bins/argosyctl/client/client.hpp"
#include "messages/proto/api/event.pb.h"

namespace argosy::ctl {

struct feed_request {
  std::string queue{};
  std::string job_set{};
  std::string from{};            ///< Only events behind the one with this id; empty: all events.
  bool follow = true;            ///< False: the feed ends once everything that exists now was read.
  bool error_if_missing = true;  ///< True: a job set without any event is ec::not_found.
  std::chrono::milliseconds patience{30'000};  ///< How long to try while the server is away.
};

class job_set_feed {
 public:
  job_set_feed(client& server, feed_request request)
      : server_(server), request_(std::move(request)) {}

  /// Reads an event; `quiet` when none came in time. ec::not_found (queue, job set), or the
  /// server's error.
  [[nodiscard]] result<stream_reader::event> next(api::EventStreamMessage& event,
                                                  std::chrono::milliseconds wait);

  /// Whether the server could not be reached and has not been heard since.
  [[nodiscard]] bool is_away() const noexcept {
    return broken_since_ != std::chrono::steady_clock::time_point{};
  }

  /// Makes a feed that has finished read on, with the events that have come since.
  void again() { reader_.reset(); }

  /// Says whether it has begun again since this was asked last.
  [[nodiscard]] bool take_restart() { return std::exchange(restarted_, false); }

  /// The id of the last event that was read; empty before the first.
  [[nodiscard]] const std::string& position() const noexcept { return request_.from; }
  [[nodiscard]] const feed_request& request() const noexcept { return request_; }

 private:
  result<void> reopen();
  result<stream_reader::event> failed(error err, std::chrono::milliseconds wait);
  result<stream_reader::event> broken(error err, std::chrono::milliseconds wait);

  client& server_;
  feed_request request_;
  std::unique_ptr<stream_reader> reader_;
  bool restarted_ = false;
  std::chrono::steady_clock::time_point broken_since_{};
  std::chrono::steady_clock::time_point opened_{};
};

}  // namespace argosy::ctl
