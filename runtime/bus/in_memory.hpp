// SPDX-License-Identifier: Apache-2.0
// This file declares the bus in memory: a broker that any number of connections join, with hooks
// for faults. Frames are delivered on the thread that publishes, in one order for the whole broker:
// while a callback runs, what it publishes waits until it returns. With manual time nothing happens
// by itself, so that a single-threaded test is deterministic. A callback that blocks in
// request_sync() may be entered again by what is delivered meanwhile.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/bus/connection.hpp"

namespace argosy::bus {

struct memory_broker_options {
  std::size_t max_payload = 8u << 20;
  /// Time-outs and keepalives run only in advance(); otherwise a thread watches the real clock.
  bool manual_time = true;
};

class memory_broker {
 public:
  explicit memory_broker(const memory_broker_options& options = {});
  ~memory_broker();
  memory_broker(const memory_broker&) = delete;
  memory_broker& operator=(const memory_broker&) = delete;

  /// Makes a connection. The broker may be destroyed before its connections, which are then
  /// disconnected. Its replies go to a subject that begins with `inbox_prefix`, as a server with
  /// users asks for.
  [[nodiscard]] std::shared_ptr<connection> connect(const std::string& inbox_prefix = "_INBOX");

  /// Moves manual time and runs what falls due, in order of time.
  void advance(std::chrono::milliseconds step);

  /// Takes the broker offline, as if the server had died: all connections are disconnected until it
  /// is online again.
  void set_online(bool online);
  /// Publishing to, and serving, subjects under the pattern is refused from now on.
  void deny(std::string pattern);
  /// Loses the next `frames` frames whose subject falls under the pattern.
  void drop_next(std::string pattern, int frames);
  /// Publishes a frame as a client that is not ours can, with any reply subject.
  void inject(const frame& content);
  /// Makes a connection silent, like that of a stopped process: it gets and sends nothing.
  void set_frozen(const connection& which, bool frozen);

  struct state;

 private:
  std::shared_ptr<state> state_;
};

}  // namespace argosy::bus
