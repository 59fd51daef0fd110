// SPDX-License-Identifier: Apache-2.0
// How the gRPC server proves who it is: with a certificate, or not at all.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace argosy::rpc {

struct ssl_deleter {
  void operator()(ssl_st* connection) const;
};
using ssl_connection = std::unique_ptr<ssl_st, ssl_deleter>;

/// A certificate and its key, of which the files are read again when they change. Safe to use from
/// any thread.
class server_certificate {
 public:
  /// Fails with ec::invalid_argument, which names the file, if one cannot be read or certificate
  /// and key are no pair.
  [[nodiscard]] static result<std::unique_ptr<server_certificate>> load(std::string certificate,
                                                                        std::string key);

  /// The server's end of a connection that is encrypted; null if there is no room. Files that
  /// changed a second ago or before are read first; as long as they cannot be used, the old ones
  /// hold.
  [[nodiscard]] ssl_connection accept(int socket, boot_time now);

 private:
  using context = std::shared_ptr<ssl_ctx_st>;

  server_certificate(std::string certificate, std::string key, context made);
  [[nodiscard]] static result<context> read(const std::string& certificate, const std::string& key);
  void look(boot_time now);

  const std::string certificate_;
  const std::string key_;
  std::mutex guard_;  ///< Guards what follows.
  context context_;
  std::string seen_;  ///< What tells whether the files changed.
  boot_time looked_{};
};

}  // namespace argosy::rpc
