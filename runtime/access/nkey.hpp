// SPDX-License-Identifier: Apache-2.0
// NKeys of users: ed25519 keys in the spelling of NATS, which is base32 of a prefix, the 32 bytes
// and a CRC-16. A seed begins with "SU" and is secret; a public key begins with "U" and stands in
// the server's configuration. Pure but for make_nkey(); safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::access {

struct nkey {
  std::string seed;
  std::string public_key;
};

/// A new key from the system's generator of secrets. ec::internal when that has none to give.
[[nodiscard]] result<nkey> make_nkey();

/// The public key of a seed. ec::invalid_argument, which does not repeat the seed, when the text is
/// no seed of a user.
[[nodiscard]] result<std::string> public_key_of(std::string_view seed);

/// The signature of the text, 64 bytes. ec::invalid_argument as for public_key_of(). See the
/// README for why the library of NATS does not do this.
[[nodiscard]] result<std::string> sign(std::string_view seed, std::string_view text);

/// The 32 secret bytes of a seed. ec::invalid_argument as for public_key_of().
[[nodiscard]] result<std::string> raw_seed_of(std::string_view seed);

/// The 32 bytes of a user's public key. ec::invalid_argument when the text is none.
[[nodiscard]] result<std::string> raw_public_key_of(std::string_view text);

/// Whether the text is the public key of a user, its checksum included.
[[nodiscard]] bool is_public_key(std::string_view text);

}  // namespace argosy::access
