// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/transport_security.hpp"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <string>

namespace argosy::rpc {

namespace {

constexpr unsigned refresh_seconds = 60;

struct context_deleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

std::string last_reason() {
  const auto code = ERR_peek_last_error();
  const auto* text = ERR_reason_error_string(code);
  ERR_clear_error();
  return text == nullptr ? "it cannot be read" : text;
}

/// gRPC itself would start with files that it cannot use, and refuse each connection.
result<void> check_pair(const std::string& certificate, const std::string& key) {
  const std::unique_ptr<SSL_CTX, context_deleter> context{SSL_CTX_new(TLS_server_method())};
  if (context == nullptr) return fail(ec::internal, "OpenSSL has no room for a context");
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1)
    return fail(ec::invalid_argument, "the certificate '" + certificate +
                                          "' cannot be used: " + last_reason() +
                                          "; it has to be PEM, with the server's own first");
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1)
    return fail(ec::invalid_argument, "the key '" + key +
                                          "' cannot be used with the certificate '" + certificate +
                                          "': " + last_reason());
  return {};
}

}  // namespace

result<std::shared_ptr<::grpc::ServerCredentials>> credentials_of(const server_config& config) {
  if (config.certificate.empty()) return ::grpc::InsecureServerCredentials();
  if (auto ok = check_pair(config.certificate, config.key); !ok) return fail(std::move(ok.error()));
  ::grpc::experimental::TlsServerCredentialsOptions options{
      std::make_shared<::grpc::experimental::FileWatcherCertificateProvider>(
          config.key, config.certificate, refresh_seconds)};
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  return ::grpc::experimental::TlsServerCredentials(options);
}

}  // namespace argosy::rpc
