// SPDX-License-Identifier: Apache-2.0
// A real nats-server for tests: on a random loopback port, with its store in a temporary folder,
// to be killed, stopped, continued, and started again on the same port and store.
#pragma once

#include <memory>
#include <string>

#include "runtime/bus/server/server_process.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {

class nats_server {
 public:
  struct options {
    std::string token{};
    bool jetstream = true;
    std::uint64_t max_payload = 8u << 20;
    std::string more{};  ///< Further lines of configuration.
  };

  /// Starts the server. If that fails it ends the process, since no test can go on without a
  /// server.
  nats_server() : nats_server(options{}) {}
  explicit nats_server(const options& chosen);

  /// The URL of the server, with the token in it if there is one.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] int port() const noexcept { return config_.port; }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }

  /// Ends the server with SIGKILL, as a crash does, and waits until it has gone.
  void kill();
  /// Starts the server again on the same port and store.
  void restart();
  /// Has a running server take another token, so that those with the old one are put out and
  /// refused. It must have been restarted once, since a random port cannot be reloaded.
  void reload(const std::string& token);
  /// These send SIGSTOP and SIGCONT, for a server that hangs.
  void freeze();
  void thaw();

 private:
  void launch();

  temp_folder folder_;
  bus::server_config config_;
  std::unique_ptr<bus::server_process> process_;
};

}  // namespace argosy::testing
