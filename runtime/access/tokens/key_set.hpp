// SPDX-License-Identifier: Apache-2.0
// The public keys of an OpenID provider, and the signatures that they check. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

struct evp_pkey_st;

namespace argosy::access {

/// How a token may be signed. There are only algorithms with a public key: with HS256 whoever can
/// check a token could also make one.
enum class token_algorithm : std::uint8_t {
  rs256,
  rs384,
  rs512,
  ps256,
  ps384,
  ps512,
  es256,
  es384,
  es512,
  eddsa,
};

/// "RS256", in the order of the enumeration.
[[nodiscard]] std::span<const std::string_view> algorithm_names() noexcept;
[[nodiscard]] std::optional<token_algorithm> parse_algorithm(std::string_view name) noexcept;

struct public_key {
  std::string id{};
  /// What the provider uses it for; nothing if it does not say.
  std::optional<token_algorithm> only{};
  std::shared_ptr<evp_pkey_st> key{};
};
using key_set = std::vector<public_key>;

/// Reads a JWK set (RFC 7517). Keys of other kinds, for encryption, or too short to be safe are
/// left out. ec::corrupt if the text is no key set, or has no key that can be used.
[[nodiscard]] result<key_set> parse_keys(std::string_view text);

/// Whether the key is of the kind that the algorithm takes.
[[nodiscard]] bool fits(const public_key& key, token_algorithm how);
/// Whether the signature of the text is that of the key. The key has to fit.
[[nodiscard]] bool has_signed(const public_key& key, token_algorithm how, std::string_view text,
                              std::string_view signature);

}  // namespace argosy::access
