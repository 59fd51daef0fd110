// SPDX-License-Identifier: Apache-2.0
// A thread that serves some of the connections, and none of them for long.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/rpc/connection.hpp"
#include "runtime/rpc/mailbox.hpp"

namespace argosy::rpc {

class io_loop {
 public:
  /// `security` may be null. `accept` is called on the thread of the loop when a listener has
  /// connections; it says whether there is room for more of them.
  io_loop(const call_room& room, server_certificate* security, std::vector<int> listeners,
          std::function<bool(int)> accept);
  /// Closes all connections.
  ~io_loop();
  io_loop(const io_loop&) = delete;
  io_loop& operator=(const io_loop&) = delete;

  // These may be called on any thread.
  void start();
  void adopt(peer_socket socket, connection_id id);
  /// Closes the connection, if it is there.
  void close(connection_id id);
  /// Tells callers that the server ends, and gives their calls so long to end.
  void begin_stop(std::chrono::milliseconds within);
  /// Waits until all connections are closed, which takes no longer than begin_stop() allowed.
  void stop();

 private:
  void run();
  void wait();
  void serve(connection_id id, std::uint32_t what);
  void serve_listener(std::size_t number);
  void take_mail();
  void begin(peer_socket socket, connection_id id);
  void flush_touched();
  void tick();
  void watch_listeners(bool on);
  void end_slowly();
  void drop(connection_id id);
  [[nodiscard]] int time_left() const;

  const call_room& room_;
  server_certificate* const security_;
  const std::vector<int> listeners_;
  const std::function<bool(int)> accept_;
  const std::shared_ptr<mailbox> mail_;
  const boot_time tick_every_;
  const int epoll_;
  boot_time now_{};
  boot_time ticked_{};
  boot_time stop_at_{};  ///< Zero: it does not stop.
  bool listens_ = false;
  bool over_ = false;
  token_bucket lines_;  ///< How many lines of the log callers can cause.
  std::vector<char> buffer_;
  std::vector<worker_pool::task> later_;
  std::vector<connection_id> touched_;
  std::unordered_map<connection_id, std::unique_ptr<connection>> connections_;
  std::thread thread_;
};

}  // namespace argosy::rpc
