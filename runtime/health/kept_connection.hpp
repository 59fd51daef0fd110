// SPDX-License-Identifier: Apache-2.0
// A page may ask whether the client whose request it serves is still there, and may keep the
// connection after the request was served, for an answer that goes on while the thread is free for
// others.
#pragma once

#include <functional>
#include <utility>

namespace argosy::health {

/// Owns the socket of a connection, and closes it in the end.
class kept_socket {
 public:
  kept_socket() = default;
  explicit kept_socket(int socket) noexcept : socket_(socket) {}
  kept_socket(kept_socket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  kept_socket& operator=(kept_socket&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~kept_socket();

  [[nodiscard]] int get() const noexcept { return socket_; }

 private:
  int socket_ = -1;
};

/// While it exists, this thread serves a request that came on the socket.
class serving {
 public:
  explicit serving(int socket) noexcept;
  ~serving();
  serving(const serving&) = delete;
  serving& operator=(const serving&) = delete;
};

/// Whether the client whose request this thread serves has not closed his connection. On a thread
/// that serves none it is true.
[[nodiscard]] bool client_is_there();

/// To be called on the thread that answers a request, when all was written that the library is to
/// write: `take` gets the connection once the library has let it go.
void keep_connection(std::function<void(kept_socket)> take);

/// Returns the function that keep_connection() was given on this thread since the last call; it is
/// empty if none was given.
[[nodiscard]] std::function<void(kept_socket)> taker_of_connection();

}  // namespace argosy::health
