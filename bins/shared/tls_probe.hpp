// SPDX-License-Identifier: Apache-2.0
// This file declares a look at the certificate that a server shows. The library of NATS tells
// neither when it ends nor, when it connects again, what is wrong with it, and that of HTTP tells
// no end either.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy {

struct server_address {
  std::string host;
  std::string port;

  [[nodiscard]] std::string text() const { return host + ":" + port; }
  friend bool operator==(const server_address&, const server_address&) = default;
};

/// Whether a server greets whoever connects to it before it encrypts.
enum class greeting : std::uint8_t { of_nats, none };

/// The servers of a list of URLs, such as "tls://user:secret@a:4222,tls://b", or of one URL of
/// HTTPS, each with its port.
[[nodiscard]] std::vector<server_address> addresses_of(const std::string& urls,
                                                       greeting how = greeting::of_nats);

struct shown_certificate {
  /// When the first of the certificates from the server's own up to its authority ends, in Unix
  /// seconds; 0: the server showed none, since it does not encrypt.
  std::int64_t end = 0;
  /// When the authority does by which the server is trusted. If it is not trusted, the first of the
  /// authorities that signed what it shows. 0: not known.
  std::int64_t authority_end = 0;
  std::string fault;  ///< Why it is not to be trusted: "certificate has expired"; may be empty.
};

/// The files (PEM) with which a client would connect; each may be empty.
struct client_files {
  std::string authorities;
  std::string certificate;
  std::string key;
};

/// Asks the server for its certificate and goes away. It blocks for at most `limit`.
/// ec::unreachable says that nobody answers there as such a server does.
[[nodiscard]] result<shown_certificate> look_at_certificate(const server_address& where,
                                                            const client_files& files,
                                                            std::chrono::milliseconds limit,
                                                            greeting how = greeting::of_nats);

/// The line by which a nats-server greets whoever connects. It blocks for at most `limit`.
/// ec::unreachable says that nobody answers there, or not with a line.
[[nodiscard]] result<std::string> greeting_line(const server_address& where,
                                                std::chrono::milliseconds limit);

}  // namespace argosy
