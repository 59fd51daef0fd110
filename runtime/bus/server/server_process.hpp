// SPDX-License-Identifier: Apache-2.0
// A server_process is one running nats-server that this process started from a configuration file.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::bus {

/// What stands in the configuration file.
struct server_config {
  /// The folder, which must exist, for configuration, store, log and ports file.
  std::filesystem::path folder{};
  int port = -1;        ///< The port on 127.0.0.1; -1 lets the system choose.
  std::string token{};  ///< If it is empty, everybody may connect.
  std::uint64_t max_payload = 8u << 20;
  bool jetstream = true;
  std::string more{};  ///< Further lines of configuration.
};

/// Writes `folder`/nats.conf with mode 0600. The token is written nowhere else.
[[nodiscard]] result<std::filesystem::path> write_config(const server_config& config);

/// Not thread-safe.
class server_process {
 public:
  /// Writes the configuration, starts the server and waits until it listens. Fails with
  /// ec::not_found when nats-server is not installed, saying what to install, and with
  /// ec::unavailable when it ended at once, with its last lines, or did not listen in time.
  [[nodiscard]] static result<std::unique_ptr<server_process>> start(
      const server_config& config, const std::string& program = "nats-server",
      std::chrono::milliseconds limit = std::chrono::seconds{10});
  /// Kills the server if it still runs.
  ~server_process();

  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Whether the server runs. A server that has ended is reaped.
  [[nodiscard]] bool alive();
  void signal(int number);
  /// Asks the server to end, kills it after the limit, and waits until it has gone.
  void stop(std::chrono::milliseconds limit);

 private:
  server_process(pid_t pid, int port) : pid_(pid), port_(port) {}

  pid_t pid_;
  int port_;
  bool reaped_ = false;
};

}  // namespace argosy::bus
