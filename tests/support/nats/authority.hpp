// SPDX-License-Identifier: Apache-2.0
// An authority that signs a certificate for one nats-server, made by the program openssl.
#pragma once

#include <string>

#include "tests/support/nats/nats_server.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {

class authority {
 public:
  /// For a server with this subjectAltName: "IP:127.0.0.1". Fails the process if it cannot, since
  /// no test can go on without.
  explicit authority(const std::string& alternative_name);

  [[nodiscard]] std::string ca_file() const { return path("ca.pem"); }
  /// For a server that encrypts with the certificate.
  [[nodiscard]] nats_server::options server() const;

 private:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  temp_folder folder_;
};

/// "tls://127.0.0.1:PORT".
[[nodiscard]] std::string tls_url(const nats_server& server);

}  // namespace argosy::testing
