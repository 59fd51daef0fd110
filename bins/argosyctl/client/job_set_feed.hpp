// SPDX-License-Identifier: Apache-2.0
// The events of one job set, read by one thread. A connection that breaks is taken up again after
// the last event that was seen, so that none is missing and none comes twice.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bins/argosyctl/client/client.hpp"
#include "messages/proto/api/event.pb.h"

namespace argosy::ctl {

struct feed_request {
  std::string queue{};
  std::string job_set{};
  std::string from{};                          ///< Events after the one with this id; empty: all.
  bool follow = true;                          ///< Or end once everything that exists now was read.
  bool error_if_missing = true;                ///< A job set without any event is ec::not_found.
  std::chrono::milliseconds patience{30'000};  ///< How long to try while the server is away.
};

class job_set_feed {
 public:
  job_set_feed(client& server, feed_request request)
      : server_(server), request_(std::move(request)) {}

  /// `quiet` when no event came in time. ec::not_found (queue, job set), or what the server says.
  [[nodiscard]] result<stream_reader::event> next(api::EventStreamMessage& event,
                                                  std::chrono::milliseconds wait);

  /// Whether the server could not be reached, and has not been heard of since.
  [[nodiscard]] bool is_away() const noexcept {
    return broken_since_ != std::chrono::steady_clock::time_point{};
  }

  /// After `finished`: reads on from there, with what has come since.
  void again() { reader_.reset(); }

  /// The id of the last event read; empty before the first.
  [[nodiscard]] const std::string& position() const noexcept { return request_.from; }
  [[nodiscard]] const feed_request& request() const noexcept { return request_; }

 private:
  result<void> reopen();
  result<stream_reader::event> broken(error err, std::chrono::milliseconds wait);

  client& server_;
  feed_request request_;
  std::unique_ptr<stream_reader> reader_;
  std::chrono::steady_clock::time_point broken_since_{};
  std::chrono::steady_clock::time_point opened_{};
};

}  // namespace argosy::ctl
