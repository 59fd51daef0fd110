// SPDX-License-Identifier: Apache-2.0
// A tail_reader reads a stream in order through a pull consumer, which it makes anew whenever it
// was lost, and misses nothing. It is internal to the log and used by one thread at a time.
#pragma once

#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include "runtime/eventlog/jetstream/stream_client.hpp"

namespace argosy::eventlog {

class tail_reader {
 public:
  explicit tail_reader(stream_client& stream) : stream_(stream) {}
  /// The client must have been closed.
  ~tail_reader();
  tail_reader(const tail_reader&) = delete;
  tail_reader& operator=(const tail_reader&) = delete;

  /// Forgets its place, since the client turned to another stream.
  void start_anew() { stop(); }

  /// Does what event_log::read() says.
  [[nodiscard]] result<std::vector<record>> read(model::log_position from_position,
                                                 std::size_t max_records, std::size_t max_bytes,
                                                 std::chrono::milliseconds wait);

 private:
  result<void> start_at(model::log_position from_position);
  result<void> fetch(std::chrono::milliseconds limit);
  result<void> take(natsMsg* message);
  result<void> take_missing(model::log_position until_position);
  result<bool> has_more();
  void stop();

  stream_client& stream_;
  natsSubscription* consumer_ = nullptr;
  /// The position of the record that the consumer gives next.
  model::log_position next_position_{};
  /// The records that were fetched and not yet read; the last one is before next_position_.
  std::deque<record> ready_;
  /// Consumers that were given up. Freeing one under a message that is still on its way is a
  /// defect of the library, so they are kept until the connection is closed.
  std::vector<natsSubscription*> given_up_;
  std::jthread leaving_;  ///< It tells the server that the last of them was given up.
};

}  // namespace argosy::eventlog
