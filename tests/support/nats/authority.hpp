// SPDX-License-Identifier: Apache-2.0
// An authority that signs a certificate for one server, made by the program openssl.
#pragma once

#include <string>

#include "tests/support/nats/nats_server.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {

class authority {
 public:
  /// Makes a certificate for a server with this subjectAltName, such as "IP:127.0.0.1". If that
  /// fails it ends the process, since no test can go on without the certificate.
  explicit authority(const std::string& alternative_name);

  [[nodiscard]] std::string ca_file() const { return path("ca.pem"); }
  /// The files of the certificate and of its key.
  [[nodiscard]] std::string certificate() const { return path("server.pem"); }
  [[nodiscard]] std::string key() const { return path("server.key"); }
  /// The options of a server that encrypts with the certificate.
  [[nodiscard]] nats_server::options server() const;
  /// The same of one that lets in only who shows a certificate of this authority.
  [[nodiscard]] nats_server::options checking_server() const;

 private:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  temp_folder folder_;
};

/// The URL of the server: "tls://127.0.0.1:PORT".
[[nodiscard]] std::string tls_url(const nats_server& server);

}  // namespace argosy::testing
