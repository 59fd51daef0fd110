// SPDX-License-Identifier: Apache-2.0
// The signatures by which agents know the orders and answers of their control plane. A signature is
// the last field of an encoded message, covers all bytes before it and the subject to which it
// goes, and is made by an Ed25519 key that has the spelling of an NKey. Safe from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

struct evp_pkey_st;

namespace argosy::access {

/// The number of the field with the signature, in every message that is signed.
inline constexpr int signature_field = 15;

/// What stands for the subject in the signature of an answer, which is good for one request alone:
/// the subject of the request, and a hash of all its bytes.
[[nodiscard]] std::string answer_subject(std::string_view subject, std::string_view request);

class order_signer {
 public:
  /// ec::invalid_argument, which does not repeat the seed, when the text is no seed.
  [[nodiscard]] static result<order_signer> from_seed(std::string_view seed);

  /// Appends the signature to an encoded message that has none.
  void sign(std::string& message, std::string_view subject) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

class order_checker {
 public:
  /// Takes public keys, of which any may have signed. ec::invalid_argument if one is none.
  [[nodiscard]] static result<order_checker> of_keys(const std::vector<std::string>& keys);

  /// Whether the message ends with a signature of one of the keys for this subject.
  [[nodiscard]] bool accepts(std::string_view message, std::string_view subject) const;

 private:
  std::vector<std::shared_ptr<evp_pkey_st>> keys_;
};

}  // namespace argosy::access
