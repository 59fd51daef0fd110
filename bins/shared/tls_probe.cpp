// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/tls_probe.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <utility>

#include "runtime/access/certificate.hpp"
#include "runtime/settings/checks/address.hpp"

namespace argosy {

namespace {

using steady = std::chrono::steady_clock;

struct release {
  void operator()(addrinfo* what) const { ::freeaddrinfo(what); }
  void operator()(SSL_CTX* what) const { SSL_CTX_free(what); }
  void operator()(SSL* what) const { SSL_free(what); }
  void operator()(X509* what) const { X509_free(what); }
};

class open_socket {
 public:
  explicit open_socket(int fd) : fd_(fd) {}
  ~open_socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  open_socket(const open_socket&) = delete;
  open_socket& operator=(const open_socket&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// Waits until the socket can be read or written; false when the time is over.
bool wait_for(int fd, short events, steady::time_point end) {
  pollfd one{fd, events, 0};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady::now());
  return left.count() > 0 && ::poll(&one, 1, static_cast<int>(left.count())) == 1;
}

/// A socket that is connected, or -1.
int connect_to(const server_address& where, steady::time_point end) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (::getaddrinfo(where.host.c_str(), where.port.c_str(), &hints, &raw) != 0) return -1;
  const std::unique_ptr<addrinfo, release> all{raw};
  for (const auto* at = raw; at != nullptr; at = at->ai_next) {
    const int fd = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) continue;
    int failed = 0;
    socklen_t size = sizeof failed;
    const bool begun = ::connect(fd, at->ai_addr, at->ai_addrlen) == 0 || errno == EINPROGRESS;
    if (begun && wait_for(fd, POLLOUT, end) &&
        ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) == 0 && failed == 0)
      return fd;
    ::close(fd);
  }
  return -1;
}

/// The line by which a nats-server greets, read byte by byte, since what follows is encrypted.
std::string read_greeting(int fd, steady::time_point end) {
  constexpr std::size_t line_max = 64u << 10;
  std::string out;
  char one = 0;
  while (out.size() < line_max && wait_for(fd, POLLIN, end) && ::read(fd, &one, 1) == 1) {
    if (one == '\n') return out;
    out += one;
  }
  return {};
}

bool is_address(const std::string& host) {
  std::array<unsigned char, 16> ignored{};
  return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

std::unique_ptr<SSL_CTX, release> context_of(const client_files& files) {
  std::unique_ptr<SSL_CTX, release> out{SSL_CTX_new(TLS_client_method())};
  if (!out) return out;
  // What is wrong is told afterwards; the handshake goes on to show the certificate.
  SSL_CTX_set_verify(out.get(), SSL_VERIFY_NONE, nullptr);
  for (const auto* file : {&files.authorities, &files.certificate, &files.key})
    if (!access::check_regular_file(*file)) return nullptr;
  if (files.authorities.empty())
    SSL_CTX_set_default_verify_paths(out.get());
  else
    SSL_CTX_load_verify_locations(out.get(), files.authorities.c_str(), nullptr);
  if (!files.certificate.empty() &&
      SSL_CTX_use_certificate_chain_file(out.get(), files.certificate.c_str()) == 1)
    SSL_CTX_use_PrivateKey_file(out.get(), files.key.c_str(), SSL_FILETYPE_PEM);
  return out;
}

/// Goes through the handshake as far as it goes; the certificate may be there also if it fails.
void shake_hands(SSL* session, int fd, steady::time_point end) {
  while (true) {
    const int done = SSL_connect(session);
    if (done == 1) return;
    const int why = SSL_get_error(session, done);
    const bool reads = why == SSL_ERROR_WANT_READ;
    if (!reads && why != SSL_ERROR_WANT_WRITE) return;
    if (!wait_for(fd, reads ? POLLIN : POLLOUT, end)) return;
  }
}

/// Unix seconds; 0: not known.
std::int64_t end_of(const X509* one) {
  std::tm parts{};
  return ASN1_TIME_to_tm(X509_get0_notAfter(one), &parts) == 1 ? ::timegm(&parts) : 0;
}

/// The first of two ends, of which either may not be known.
std::int64_t first_of(std::int64_t one, std::int64_t other) {
  return one == 0 ? other : other == 0 ? one : std::min(one, other);
}

/// The first end of those authorities of the context that have signed one of the chain. It is asked
/// where none of them could be trusted, so that nobody knows which is meant.
std::int64_t end_of_signers(const SSL_CTX* context, const STACK_OF(X509) * chain) {
  std::int64_t out = 0;
  const auto* known = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context));
  for (int i = 0; i < sk_X509_OBJECT_num(known); ++i) {
    auto* const authority = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(known, i));
    if (authority == nullptr) continue;
    for (int at = 0; at < sk_X509_num(chain); ++at)
      if (X509_check_issued(authority, sk_X509_value(chain, at)) == X509_V_OK)
        out = first_of(out, end_of(authority));
  }
  return out;
}

/// When what the server shows ends, and the authority that it is trusted by. What it shows beyond
/// the way to the authority does not matter.
void take_ends(SSL* session, const SSL_CTX* context, shown_certificate& out) {
  const auto* shown = SSL_get_peer_cert_chain(session);
  const bool trusted = SSL_get_verify_result(session) == X509_V_OK;
  const auto* used = trusted ? SSL_get0_verified_chain(session) : nullptr;
  const auto* chain = used != nullptr ? used : shown;
  const int count = sk_X509_num(chain);
  const int own = used != nullptr ? std::max(1, count - 1) : count;
  for (int i = 0; i < own; ++i) out.end = first_of(out.end, end_of(sk_X509_value(chain, i)));
  out.authority_end =
      used != nullptr ? end_of(sk_X509_value(used, count - 1)) : end_of_signers(context, shown);
}

}  // namespace

std::vector<server_address> addresses_of(const std::string& urls, greeting how) {
  std::vector<server_address> out;
  for (const auto& url : settings::parts_of(urls, ',')) {
    server_address one{settings::host_of(url), settings::port_of(url)};
    if (one.port.empty()) one.port = how == greeting::of_nats ? "4222" : "443";
    if (!one.host.empty()) out.push_back(std::move(one));
  }
  return out;
}

result<shown_certificate> look_at_certificate(const server_address& where,
                                              const client_files& files,
                                              std::chrono::milliseconds limit, greeting how) {
  const auto end = steady::now() + limit;
  const std::string kind = how == greeting::of_nats ? "nats-server" : "server";
  const auto nobody = [&] {
    return fail(ec::unreachable, "no " + kind + " answers at " + where.text());
  };
  const open_socket connected{connect_to(where, end)};
  if (connected.get() < 0) return nobody();
  if (how == greeting::of_nats) {
    const auto said = read_greeting(connected.get(), end);
    if (!said.starts_with("INFO")) return nobody();
    if (said.find("\"tls_required\":true") == std::string::npos &&
        said.find("\"tls_available\":true") == std::string::npos)
      return shown_certificate{};
  }
  const auto context = context_of(files);
  const std::unique_ptr<SSL, release> session{context ? SSL_new(context.get()) : nullptr};
  if (!session) return fail(ec::internal, "TLS cannot be used here");
  SSL_set_fd(session.get(), connected.get());
  if (is_address(where.host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.get()), where.host.c_str());
  } else {
    SSL_set1_host(session.get(), where.host.c_str());
    SSL_set_tlsext_host_name(session.get(), where.host.c_str());
  }
  shake_hands(session.get(), connected.get(), end);
  const std::unique_ptr<X509, release> shown{SSL_get1_peer_certificate(session.get())};
  const auto verdict = SSL_get_verify_result(session.get());
  ERR_clear_error();
  if (!shown)
    return fail(ec::unreachable, "the " + kind + " at " + where.text() + " shows no certificate");
  shown_certificate out;
  take_ends(session.get(), context.get(), out);
  if (verdict != X509_V_OK) out.fault = X509_verify_cert_error_string(verdict);
  return out;
}

result<std::string> greeting_line(const server_address& where, std::chrono::milliseconds limit) {
  const auto end = steady::now() + limit;
  const open_socket link{connect_to(where, end)};
  auto line = link.get() < 0 ? std::string{} : read_greeting(link.get(), end);
  if (!line.empty()) return line;
  return fail(ec::unreachable, "no nats-server answers at " + where.text());
}

}  // namespace argosy
