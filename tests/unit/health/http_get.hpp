// SPDX-License-Identifier: Apache-2.0
// Makes one HTTP request over a socket of the test.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/support/process/loopback.hpp"

namespace argosy::tests {

struct http_reply {
  /// The status; 0 if nothing came back.
  int status = 0;
  std::string head;
  std::string body;
};

/// Sends a request. With `half_close` the server sees the end of what is sent, as from a client
/// that gave up.
inline http_reply http_send(std::uint16_t port, const std::string& request,
                            bool half_close = false) {
  http_reply reply;
  const int fd = connect_loopback(port);
  if (fd < 0) return reply;
  std::string text;
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(request.size())) {
    if (half_close) shutdown(fd, SHUT_WR);
    char block[4096];
    for (ssize_t n = 0; (n = recv(fd, block, sizeof block, 0)) > 0;)
      text.append(block, static_cast<std::size_t>(n));
  }
  close(fd);
  const auto end = text.find("\r\n\r\n");
  if (end == std::string::npos) return reply;
  reply.head = text.substr(0, end);
  reply.body = text.substr(end + 4);
  reply.status = std::atoi(text.substr(text.find(' ')).c_str());
  return reply;
}

inline http_reply http_get(std::uint16_t port, const std::string& path) {
  return http_send(port,
                   "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

}  // namespace argosy::tests
