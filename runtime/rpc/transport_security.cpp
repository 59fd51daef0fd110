// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/transport_security.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "runtime/logging/logger.hpp"

namespace argosy::rpc {

using std::chrono_literals::operator""s;

namespace {

const logging::logger security_log{"grpc"};

constexpr boot_time look_every = 1s;

std::string last_reason() {
  const auto code = ERR_peek_last_error();
  const auto* text = ERR_reason_error_string(code);
  ERR_clear_error();
  return text == nullptr ? "it cannot be read" : text;
}

/// Which files these are now, as far as the file system tells.
std::string mark_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return "none";
  return std::to_string(found.st_ino) + " " + std::to_string(found.st_size) + " " +
         std::to_string(found.st_mtim.tv_sec) + " " + std::to_string(found.st_mtim.tv_nsec);
}

/// Chooses HTTP/2, which is all that is spoken here.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  static constexpr unsigned char h2[] = {2, 'h', '2'};
  auto* chosen = const_cast<unsigned char*>(*out);
  const bool found = SSL_select_next_proto(&chosen, size, h2, sizeof h2, offered, offered_size) ==
                     OPENSSL_NPN_NEGOTIATED;
  *out = chosen;
  return found ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

void ssl_deleter::operator()(ssl_st* connection) const {
  SSL_free(connection);
}

result<server_certificate::context> server_certificate::read(const std::string& certificate,
                                                             const std::string& key) {
  // OpenSSL would wait for somebody who writes into a pipe.
  struct stat about {};
  for (const auto& file : {certificate, key})
    if (::stat(file.c_str(), &about) == 0 && !S_ISREG(about.st_mode))
      return fail(ec::invalid_argument,
                  "'" + file + "' is a folder, a pipe or a device; name a file");
  ERR_clear_error();
  context out{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  if (out == nullptr) return fail(ec::internal, "OpenSSL has no room for a context");
  if (SSL_CTX_use_certificate_chain_file(out.get(), certificate.c_str()) != 1)
    return fail(ec::invalid_argument, "the certificate '" + certificate +
                                          "' cannot be used: " + last_reason() +
                                          "; it has to be PEM, with the server's own first");
  if (SSL_CTX_use_PrivateKey_file(out.get(), key.c_str(), SSL_FILETYPE_PEM) != 1)
    return fail(ec::invalid_argument, "the key '" + key +
                                          "' cannot be used with the certificate '" + certificate +
                                          "': " + last_reason());
  SSL_CTX_set_min_proto_version(out.get(), TLS1_2_VERSION);
  // HTTP/2 forbids older ways to encrypt.
  SSL_CTX_set_cipher_list(out.get(), "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(
      out.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(out.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(out.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(out.get(), choose_protocol, nullptr);
  return out;
}

server_certificate::server_certificate(std::string certificate, std::string key, context made)
    : certificate_(std::move(certificate)), key_(std::move(key)), context_(std::move(made)) {}

result<std::unique_ptr<server_certificate>> server_certificate::load(std::string certificate,
                                                                     std::string key) {
  auto seen = mark_of(certificate) + " " + mark_of(key);
  auto made = read(certificate, key);
  if (!made) return fail(std::move(made.error()));
  std::unique_ptr<server_certificate> out{
      new server_certificate{std::move(certificate), std::move(key), std::move(*made)}};
  out->seen_ = std::move(seen);
  return out;
}

void server_certificate::look(boot_time now) {
  if (now - looked_ < look_every) return;
  looked_ = now;
  auto seen = mark_of(certificate_) + " " + mark_of(key_);
  if (seen == seen_) return;
  seen_ = std::move(seen);
  if (auto made = read(certificate_, key_)) {
    context_ = std::move(*made);
    security_log.info("the server's certificate was read again",
                      logging::kv("certificate", certificate_));
  } else {
    security_log.warning("the server's new certificate cannot be used, the old one holds",
                         logging::kv("why", made.error().detail));
  }
}

ssl_connection server_certificate::accept(int socket, boot_time now) {
  const std::scoped_lock lock{guard_};
  look(now);
  ssl_connection out{SSL_new(context_.get())};
  if (out == nullptr || SSL_set_fd(out.get(), socket) != 1) return nullptr;
  SSL_set_accept_state(out.get());
  return out;
}

}  // namespace argosy::rpc
