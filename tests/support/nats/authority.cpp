// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nats/authority.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace argosy::testing {

namespace {

const std::string new_key = " -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ";

void run(const std::string& command) {
  if (std::system((command + " 2>/dev/null").c_str()) == 0) return;
  std::fprintf(stderr, "this failed: %s\n", command.c_str());
  std::abort();
}

}  // namespace

authority::authority(const std::string& alternative_name) {
  run("openssl req -x509 -days 2 -subj /CN=test-authority" + new_key + "-keyout " + path("ca.key") +
      " -out " + path("ca.pem"));
  run("openssl req -new -subj /CN=server" + new_key + "-keyout " + path("server.key") + " -out " +
      path("server.csr"));
  std::ofstream{path("names")} << "subjectAltName=" << alternative_name << '\n';
  run("openssl x509 -req -days 2 -in " + path("server.csr") + " -CA " + path("ca.pem") +
      " -CAkey " + path("ca.key") + " -CAcreateserial -extfile " + path("names") + " -out " +
      path("server.pem"));
}

nats_server::options authority::server() const {
  return {.more = "tls { cert_file: \"" + certificate() + "\", key_file: \"" + key() + "\" }\n"};
}

nats_server::options authority::checking_server() const {
  return {.more = "tls { cert_file: \"" + certificate() + "\", key_file: \"" + key() +
                  "\", ca_file: \"" + ca_file() + "\", verify: true }\n"};
}

std::string tls_url(const nats_server& server) {
  return "tls://127.0.0.1:" + std::to_string(server.port());
}

}  // namespace argosy::testing
