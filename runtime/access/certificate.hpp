// SPDX-License-Identifier: Apache-2.0
// The files by which a client proves with TLS who it is: a certificate and its private key. They
// are read here only to say what is wrong with them before a server does.
#pragma once

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

}  // namespace argosy::access
