// SPDX-License-Identifier: Apache-2.0
// Streams of the bus whose items are written as lines of an answer. Each holds a thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "runtime/rest/calls.hpp"
#include "runtime/rest/line_stream.hpp"
#include "runtime/rest/stream_shares.hpp"

namespace argosy::rest {

class line_streams : public std::enable_shared_from_this<line_streams> {
 public:
  line_streams(std::shared_ptr<bus::connection> api, std::size_t streams_max)
      : api_(std::move(api)),
        streams_max_(streams_max),
        places_(std::make_shared<border::shares>(thirds(streams_max))) {}

  /// Answers with a stream, which ends after `limit`.
  void serve(const asked_call& of, std::optional<std::chrono::milliseconds> limit,
             httplib::Response& to);
  /// Ends all of them; further ones are refused.
  void stop();

 private:
  /// Null: the server stops.
  std::shared_ptr<line_stream> make(border::shares::place place);

  const std::shared_ptr<bus::connection> api_;
  const std::size_t streams_max_;
  const std::shared_ptr<border::shares> places_;
  std::mutex guard_;  ///< Guards what follows.
  std::set<line_stream*> streams_;
  bool stopped_ = false;
};

}  // namespace argosy::rest
