// SPDX-License-Identifier: Apache-2.0
// Streams that tell web pages of the position of the log, as server-sent events. One thread writes
// all of them, so that an open page costs a socket and no thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/health/kept_connection.hpp"
#include "runtime/rest/changed_names.hpp"
#include "runtime/rest/position_turns.hpp"
#include "runtime/rest/stream_shares.hpp"

namespace argosy::rest {

/// {"position","startedNs"}; `started` is when this process began, in nanoseconds of Unix time.
/// "queues" and "jobSets" are added as far as is known which have changed.
[[nodiscard]] std::string position_body(std::uint64_t position, std::string_view started,
                                        const changed_names& changed = {});

/// A stream begins with this text: how soon to come back, and the position unless the reader knows
/// it.
[[nodiscard]] std::string first_event(std::uint64_t position, std::string_view started,
                                      std::string_view known);

class position_streams {
 public:
  struct config {
    /// Nothing: the streams end.
    std::function<std::optional<std::uint64_t>()> position;
    std::string started;
    /// Where jobs have changed behind a position; empty: nobody knows.
    changes_behind changed{};
    std::size_t streams_max = 1'000;
    position_turns::pace pace{};
  };

  explicit position_streams(config with);
  /// As stop().
  ~position_streams();
  position_streams(const position_streams&) = delete;
  position_streams& operator=(const position_streams&) = delete;

  /// A place for a stream of this caller, or why he gets none.
  [[nodiscard]] border::shares::outcome place_for(const std::string& caller) {
    return places_->take(caller);
  }
  /// Takes a connection on which the head of an answer in chunks and first_event() were written,
  /// and its place.
  void add(health::kept_socket socket, std::uint64_t told, border::shares::place place);
  /// Ends all streams as answers end, and those that come later at once.
  void stop();

 private:
  void work();
  void tell(const position_turns::turn& what);
  const std::string& event_behind(std::uint64_t known);
  void forget(int stream);
  void end_all();

  const config config_;
  const std::shared_ptr<border::shares> places_ =
      std::make_shared<border::shares>(thirds(config_.streams_max));
  const health::kept_socket gone_;  ///< An epoll that says whose readers have gone.
  const health::kept_socket wake_;  ///< An eventfd.
  std::mutex guard_;                ///< Guards what follows.
  struct kept_stream {
    health::kept_socket socket;
    border::shares::place place;
  };
  std::map<int, kept_stream> sockets_;
  position_turns turns_;
  bool stopped_ = false;
  /// The events of the present turn, by what the streams were told before.
  std::map<std::uint64_t, std::string> events_;
  std::thread worker_;
};

}  // namespace argosy::rest
