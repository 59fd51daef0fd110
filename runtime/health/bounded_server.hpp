// SPDX-License-Identifier: Apache-2.0
// The library's HTTP server, with a thread for each connection and a bound on how long a request
// may take to arrive. The library's own reading has a time-out for each byte alone, so that clients
// who send one now and then hold its few threads, and nobody else is answered.
#pragma once

#include <httplib.h>

#include "runtime/health/connection_bounds.hpp"
#include "runtime/health/kept_connection.hpp"

namespace argosy::health {

class bounded_server final : public httplib::Server {
 public:
  explicit bounded_server(connection_bounds bounds);
  /// Call it once the address is bound. The library lets 5 connections wait to be accepted; when
  /// more come at once, the others try again after seconds.
  void allow_bursts() const;
  /// As stop(), and no connection that waits for its client is waited for.
  void end();

 private:
  bool process_and_close_socket(socket_t socket) override;

  const connection_bounds bounds_;
  const kept_socket stops_;  ///< An eventfd, so that connections need not look now and then.
};

}  // namespace argosy::health
