// SPDX-License-Identifier: Apache-2.0
// A port for servers that have to be told theirs in advance.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace argosy::testing {

/// The address of a port of 127.0.0.1; of any free one if the port is 0.
inline sockaddr_in loopback(int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

/// Binds the socket to a free port of 127.0.0.1 and returns the port, or 0 when there is none.
inline int bind_to_free_port(int fd) {
  auto at = loopback(0);
  socklen_t size = sizeof(at);
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  const bool bound = ::bind(fd, address, size) == 0 && ::getsockname(fd, address, &size) == 0;
  return bound ? ntohs(at.sin_port) : 0;
}

/// Returns a port of 127.0.0.1 that nobody had a moment ago; 0 when there is none.
inline int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto port = bind_to_free_port(fd);
  ::close(fd);
  return port;
}

}  // namespace argosy::testing
