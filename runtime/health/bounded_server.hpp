// SPDX-License-Identifier: Apache-2.0
// The library's HTTP server behind a room in which connections wait until the head of a request is
// there and was looked at. Of the library are left the routes, the parser and the writer of
// answers: it would take bodies in chunks, lines and headers without end, and would hold one of its
// threads for each client who sends slowly.
#pragma once

#include <httplib.h>

#include <functional>
#include <optional>

#include "runtime/health/connection_bounds.hpp"
#include "runtime/health/front/host_names.hpp"
#include "runtime/health/front/stalled_clients.hpp"
#include "runtime/health/front/waiting_room.hpp"
#include "runtime/health/growing_pool.hpp"
#include "runtime/health/kept_connection.hpp"

namespace argosy::health {

class bounded_server final : public httplib::Server {
 public:
  struct config {
    connection_bounds bounds{};
    std::shared_ptr<const host_names> names = std::make_shared<host_names>();
    /// Whether the request of a head may have a body; empty: none may.
    std::function<bool(const request_head&)> takes_body{};
    /// Whether the request of a head is a call, whose caller has to be known before it costs much.
    /// All others are few at a time; empty: there are no calls.
    std::function<bool(const request_head&)> is_call{};
    /// Whether who is at the other end of a connection may come in; empty: anybody.
    std::function<bool(int socket)> admits{};
  };

  explicit bounded_server(config with);
  ~bounded_server() override;

  /// Serves the bound address until end(), on the calling thread and others.
  void serve();
  /// No connection that waits for its client is waited for.
  void end();

 private:
  /// Threads, and the clients who keep them waiting.
  struct lane {
    explicit lane(const connection_bounds& bounds)
        : stalled(bounds.stalled_max, bounds.stalled_bytes_max),
          threads(bounds.connections_max, bounds.idle_for) {}
    stalled_clients stalled;
    growing_pool threads;
  };

  [[nodiscard]] lane& lane_of(const request_head& head);
  [[nodiscard]] std::optional<head_refusal> refusal_of(const request_head& head);
  void serve_connection(waiting_room::connection_pointer one, request_head head);
  [[nodiscard]] bool serve_request(open_connection& one, const request_head& head, bool& reusable);

  const config config_;
  const kept_socket stops_;  ///< An eventfd, so that connections need not look now and then.
  lane calls_;
  lane pages_;
  waiting_room room_;
};

}  // namespace argosy::health
