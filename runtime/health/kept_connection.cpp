// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/kept_connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace argosy::health {

namespace {

thread_local std::function<void(kept_socket)> taker;
thread_local int served_socket = -1;

}  // namespace

kept_socket::~kept_socket() {
  if (socket_ < 0) return;
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
}

serving::serving(int socket) noexcept {
  served_socket = socket;
}

serving::~serving() {
  served_socket = -1;
}

bool client_is_there() {
  if (served_socket < 0) return true;
  pollfd asked{served_socket, POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) != 1;
}

void keep_connection(std::function<void(kept_socket)> take) {
  taker = std::move(take);
}

std::function<void(kept_socket)> taker_of_connection() {
  return std::exchange(taker, nullptr);
}

}  // namespace argosy::health
