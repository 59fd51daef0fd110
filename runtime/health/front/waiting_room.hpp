// SPDX-License-Identifier: Apache-2.0
// Where connections are while no whole request is there: one thread waits for all of them, so that
// clients who send slowly or nothing hold no thread. When too many are here, one of them is closed
// rather than the next one refused.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/border/oldest_core.hpp"
#include "runtime/health/connection_bounds.hpp"
#include "runtime/health/front/open_connection.hpp"

namespace argosy::health {

class waiting_room {
 public:
  using connection_pointer = std::unique_ptr<open_connection>;
  struct config {
    connection_bounds bounds{};
    /// Whether the other end of a connection may come in; empty: anybody.
    std::function<bool(int socket)> admits{};
    /// Why a request is not served; nothing if it is.
    std::function<std::optional<head_refusal>(const request_head&)> refusal{};
    /// Serves a request whose head has arrived; not on the thread of this object.
    std::function<void(connection_pointer, request_head)> serve{};
  };

  explicit waiting_room(config with);
  waiting_room(const waiting_room&) = delete;
  waiting_room& operator=(const waiting_room&) = delete;
  ~waiting_room();

  /// Accepts connections on the socket until stop(), and closes those that are here then.
  void run(int listening);
  void stop();

  // These may be called on any thread. Connections that come after stop() are closed.
  /// A request was served, and another may follow.
  void give_back(connection_pointer one);
  /// Closes it once the client has had the time to read what was written: the kernel drops that
  /// when a connection is closed on which something was not read.
  void let_go(connection_pointer one);

 private:
  using clock = std::chrono::steady_clock;
  struct entry {
    connection_pointer held;
    clock::time_point until;
    bool leaves = false;  ///< What it sends is dropped.
    bool begun = false;   ///< A part of a request is there.
    std::size_t dropped = 0;
  };

  [[nodiscard]] bool is_stopped();
  void accept_some();
  void take_returned();
  void enter(connection_pointer one, bool leaves);
  void look_at(int socket);
  void look_at_request(int socket, entry& of);
  void drop_bytes(int socket, entry& of);
  void refuse(int socket, const head_refusal& why);
  void set_end(int socket, entry& of, std::chrono::milliseconds in);
  [[nodiscard]] connection_pointer leave(int socket);
  void close_late();
  [[nodiscard]] int wait_time() const;

  const config config_;
  const kept_socket epoll_;
  const kept_socket wake_;  ///< An eventfd.
  int listening_ = -1;
  std::unordered_map<int, entry> here_;
  border::oldest_core places_;
  std::set<std::pair<clock::time_point, int>> ends_;
  std::optional<clock::time_point> full_until_;  ///< No descriptor is left to accept with.
  std::mutex guard_;                             ///< Guards what follows.
  std::vector<std::pair<connection_pointer, bool>> returned_;
  bool stopped_ = false;
};

}  // namespace argosy::health
