// SPDX-License-Identifier: Apache-2.0
// The password of a user who has an NKey, for transports on which nobody asks him to sign something
// new. Whoever has the seed can make it, and who has the public key alone can check it: no secret
// lies at the server, and a new key is a new password. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::access {

/// 86 characters that fit into a URL. ec::invalid_argument as for sign().
[[nodiscard]] result<std::string> key_password(std::string_view seed);

/// Whether the owner of this public key has made the password.
[[nodiscard]] bool key_password_matches(std::string_view password, std::string_view public_key);

}  // namespace argosy::access
