// SPDX-License-Identifier: Apache-2.0
// The files by which a client proves with TLS who it is: a certificate and its private key. They
// are read here only to say what is wrong with them before a server does.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::access {

/// Checks that both files (PEM) can be used together today. ec::invalid_argument names the file and
/// the fix; ec::denied says that every user of the machine could read the key. Nothing of the key
/// is repeated. `certificate` and `key` are paths; both are empty where no certificate is used.
[[nodiscard]] result<void> check_client_certificate(const std::string& certificate,
                                                    const std::string& key);

/// Checks that the file has certificates (PEM) of authorities. ec::invalid_argument names it.
[[nodiscard]] result<void> check_authorities(const std::string& file);

/// ec::invalid_argument if what has this name is no file: a library that is given the name of a
/// pipe would wait for a writer for ever. A name that nothing has is left to whoever opens it.
[[nodiscard]] result<void> check_regular_file(const std::string& path);

enum class certificate_role : std::uint8_t {
  shown,        ///< A certificate that is shown, with those between it and its authority.
  authorities,  ///< Certificates of which each is trusted for itself.
};

/// When what the file (PEM) has ends, in Unix seconds: of what is shown the first, of authorities
/// the last that does. ec::invalid_argument names the file.
[[nodiscard]] result<std::int64_t> end_of_certificates(const std::string& file,
                                                       certificate_role role);

}  // namespace argosy::access
