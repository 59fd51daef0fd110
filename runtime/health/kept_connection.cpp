// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/kept_connection.hpp"

#include <sys/socket.h>
#include <unistd.h>

namespace argosy::health {

namespace {

thread_local std::function<void(kept_socket)> taker;

}  // namespace

kept_socket::~kept_socket() {
  if (socket_ < 0) return;
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
}

void keep_connection(std::function<void(kept_socket)> take) {
  taker = std::move(take);
}

std::function<void(kept_socket)> taker_of_connection() {
  return std::exchange(taker, nullptr);
}

}  // namespace argosy::health
