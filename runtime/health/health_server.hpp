// SPDX-License-Identifier: Apache-2.0
// The HTTP endpoint for operators: /metrics (Prometheus text), /status (JSON), /livez and /readyz.
// Runs on threads of its own; checks, metrics and the status are asked for on those, so they must
// be quick and thread-safe. There is no authentication: it belongs on a loopback address. Requests
// for health have no body.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/health/connection_bounds.hpp"
#include "runtime/health/front/host_names.hpp"
#include "runtime/health/pages.hpp"

namespace prometheus {
class Collectable;
}

namespace argosy::health {

/// A named condition; the error's detail says why it does not hold.
struct check {
  std::string name;
  std::function<result<void>()> probe;
};

struct server_config {
  /// "HOST:PORT" or "[V6]:PORT"; port 0 takes any free one.
  std::string listen = "127.0.0.1:0";
  /// The checks of /livez. The process should be restarted if one fails.
  std::vector<check> live;
  /// The checks of /readyz. Requests should go elsewhere while one fails.
  std::vector<check> ready;
  /// The sources from which /metrics is written, in the order in which it shows them.
  std::vector<std::shared_ptr<const prometheus::Collectable>> metrics;
  /// Makes what /status shows, as JSON. When it is null, there is no such page.
  std::function<std::string()> status;
  /// Makes what /debug/trace shows: the steps of the last seconds, as Chrome's trace format has
  /// them. When it is null, there is no such page.
  std::function<std::string(std::chrono::seconds)> recent_trace{};
  /// Further pages; null for none.
  std::shared_ptr<pages> more;
  /// The names by which the server may be called beside localhost, the host of `listen`, the name
  /// of this machine and addresses. They may be set anew while it serves.
  std::shared_ptr<host_names> names = std::make_shared<host_names>();
  /// Whether who is at the other end of a connection may come in; empty: anybody.
  std::function<bool(int socket)> admits{};
  connection_bounds bounds{};
};

/// Serves from start() until it is destroyed.
///   /livez, /readyz      200 "ok", or 503 with the names of the checks that fail;
///                        ?verbose lists all, ?exclude=NAME leaves one out (may be repeated)
///   /healthz             as /livez
///   /health              as /livez, but 204 without a body
///   /status              what each part does now, as JSON
///   /debug/trace         the messages of the last seconds, for ui.perfetto.dev; ?seconds=N
class server {
 public:
  /// Starts the server. Fails with ec::invalid_argument for a bad address, and with
  /// ec::already_exists if the address cannot be listened on.
  [[nodiscard]] static result<std::unique_ptr<server>> start(server_config config);

  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;
  /// "http://127.0.0.1:40123".
  [[nodiscard]] const std::string& url() const noexcept;

 private:
  struct impl;
  explicit server(std::unique_ptr<impl> held);
  std::unique_ptr<impl> impl_;
};

}  // namespace argosy::health
