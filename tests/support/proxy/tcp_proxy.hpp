// SPDX-License-Identifier: Apache-2.0
// The TCP proxy on the loopback carries bytes between clients and one server, and can be told to
// delay them, to hold them back in one direction or both as a broken route does, to refuse clients,
// and to reset connections. It has a thread of its own; its functions may be called from any
// thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace argosy::testing {

/// The behaviour of the link from now on, also for connections that are there.
struct link_state {
  /// Bytes in this direction are carried. Otherwise they wait, and the sender is told nothing,
  /// until the direction is open again; also the end of a connection waits.
  bool to_server = true;
  bool to_client = true;
  bool accepts = true;  ///< New connections are carried; otherwise they are reset.
  /// Each piece arrives this much later, and a random part of the jitter. Pieces stay in order.
  std::chrono::milliseconds delay{0};
  std::chrono::milliseconds jitter{0};
  std::uint32_t resets_per_million = 0;  ///< How many of a million pieces reset their connection.
};

class tcp_proxy {
 public:
  /// Listens on a free port of 127.0.0.1 and connects to this port of it. `seed` picks jitter and
  /// resets. Ends the process if there is no port.
  explicit tcp_proxy(int server_port, std::uint64_t seed = 1);
  ~tcp_proxy();
  tcp_proxy(const tcp_proxy&) = delete;
  tcp_proxy& operator=(const tcp_proxy&) = delete;

  [[nodiscard]] int port() const noexcept;
  void set(const link_state& state);
  /// Resets all connections at once. Clients may connect again.
  void cut();
  /// How many connections were accepted since the beginning, and how many were reset.
  [[nodiscard]] std::size_t accepted() const;
  [[nodiscard]] std::size_t resets() const;
  /// How many bytes clients have sent that came here.
  [[nodiscard]] std::size_t sent_by_clients() const;

 private:
  class loop;
  std::unique_ptr<loop> loop_;
};

}  // namespace argosy::testing
