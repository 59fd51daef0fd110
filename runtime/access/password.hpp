// SPDX-License-Identifier: Apache-2.0
// Passwords as they are kept: hashed by crypt(3), so that who reads the file does not learn them.
#pragma once

#include <string>

#include "runtime/base/result.hpp"

namespace argosy::access {

/// The hash in the form "$y$..." (yescrypt), with a new salt. ec::invalid_argument for an empty or
/// too long password. It takes about 20 ms of a processor, as does each check.
[[nodiscard]] result<std::string> hash_password(const std::string& password);

/// Whether the text is a hash of a method that is still thought to be safe.
[[nodiscard]] bool is_password_hash(const std::string& text);

/// Takes equally long whether it matches or not.
[[nodiscard]] bool password_matches(const std::string& password, const std::string& hash);

}  // namespace argosy::access
