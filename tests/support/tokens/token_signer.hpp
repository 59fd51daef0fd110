// SPDX-License-Identifier: Apache-2.0
// Makes keys and signed tokens as an OpenID provider does, and as a forger would.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

struct evp_pkey_st;

namespace argosy::testing {

class token_signer {
 public:
  enum class kind { rsa, elliptic, edwards };

  /// Draws a key of this kind. If that fails it ends the process.
  explicit token_signer(kind what = kind::elliptic, std::string key_id = "k1");

  /// Its public key as an item of a JWK set.
  [[nodiscard]] nlohmann::json public_key() const;
  /// A set with this key alone.
  [[nodiscard]] std::string key_set() const;
  /// The algorithm that belongs to the kind: RS256, ES256 or EdDSA.
  [[nodiscard]] std::string algorithm() const;

  /// A token with these claims, whose header names the algorithm and the key.
  [[nodiscard]] std::string token(const nlohmann::json& claims) const;
  /// A token with any header at all. RS and PS of any length are signed as they say, whatever else
  /// stands there by the algorithm of the kind.
  [[nodiscard]] std::string token(const nlohmann::json& header, const nlohmann::json& claims) const;
  /// The public key as PEM, which a forger takes for a secret.
  [[nodiscard]] std::string pem() const;

 private:
  [[nodiscard]] std::string sign(const std::string& text, const std::string& how) const;

  kind what_;
  std::string key_id_;
  std::shared_ptr<evp_pkey_st> key_;
};

/// A token of any header whose signature is a MAC of its text with this secret (HS256).
[[nodiscard]] std::string mac_token(const nlohmann::json& header, const nlohmann::json& claims,
                                    const std::string& secret);
/// A token of any header without a signature.
[[nodiscard]] std::string unsigned_token(const nlohmann::json& header,
                                         const nlohmann::json& claims);

}  // namespace argosy::testing
