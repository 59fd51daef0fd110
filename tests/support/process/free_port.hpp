// SPDX-License-Identifier: Apache-2.0
// A port for servers that have to be told theirs in advance.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace argosy::testing {

/// A port of 127.0.0.1 that nobody had a moment ago; 0 when there is none.
inline int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(at);
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  const bool bound = ::bind(fd, address, size) == 0 && ::getsockname(fd, address, &size) == 0;
  ::close(fd);
  return bound ? ntohs(at.sin_port) : 0;
}

}  // namespace argosy::testing
