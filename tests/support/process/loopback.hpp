// SPDX-License-Identifier: Apache-2.0
// Connects to a port of this machine.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace argosy::tests {

/// Returns a socket that is connected to the port, or -1. The caller closes it.
inline int connect_loopback(std::uint16_t port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return made;
  ::close(made);
  return -1;
}

}  // namespace argosy::tests
