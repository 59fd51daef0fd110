// SPDX-License-Identifier: Apache-2.0
// A private_server is the nats-server of one argosyd alone. It listens on loopback, has its store
// in the data directory, and has the same port after every restart. It ends with this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/bus/server/server_process.hpp"

namespace argosy::bus {

struct private_server_settings {
  /// A private folder (mode 0700) inside a data directory that this process has locked.
  std::filesystem::path folder{};
  std::string program{"nats-server"};
  std::uint64_t max_payload = 8u << 20;
  /// Lines of the server's configuration that say who may join it; if they are empty, everybody.
  std::string accounts{};
  std::chrono::milliseconds start_limit{10'000};
  std::chrono::milliseconds stop_limit{5'000};
};

/// Not thread-safe.
class private_server {
 public:
  /// First ends a server that a killed predecessor left behind, since two servers on one store both
  /// come up. The port of the last time is kept; if somebody else has it, a new one is chosen.
  /// Fails as server_process::start() does, and with ec::conflict when the old server does not end.
  [[nodiscard]] static result<std::unique_ptr<private_server>> start(
      const private_server_settings& settings);
  /// Stops the server.
  ~private_server();

  /// "nats://127.0.0.1:port", without anything secret.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] int port() const noexcept { return config_.port; }
  [[nodiscard]] pid_t pid() const noexcept;
  [[nodiscard]] bool alive();
  /// Starts it again if it has ended, on the same port and store.
  result<void> ensure_running();
  void stop();

 private:
  explicit private_server(private_server_settings settings) : settings_(std::move(settings)) {}

  result<void> launch();

  private_server_settings settings_;
  server_config config_;
  std::unique_ptr<server_process> process_;
};

}  // namespace argosy::bus
