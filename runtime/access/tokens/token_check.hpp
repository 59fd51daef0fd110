// SPDX-License-Identifier: Apache-2.0
// Whether a token of an OpenID provider proves who its bearer is. Pure: the keys and the time are
// arguments.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/access/principal.hpp"
#include "runtime/access/tokens/key_set.hpp"
#include "runtime/access/tokens/web_token.hpp"
#include "runtime/base/result.hpp"

namespace argosy::access {

struct token_rules {
  /// The provider's URL, exactly as its tokens have it.
  std::string issuer{};
  /// A token has to be meant for one of these.
  std::vector<std::string> audiences{};
  std::string name_claim = "sub";
  std::string groups_claim{};  ///< Empty: tokens give no groups.
  std::vector<token_algorithm> algorithms{token_algorithm::rs256, token_algorithm::es256};
  /// By how much the clocks of the provider and of this machine may differ.
  std::chrono::seconds skew{30};
};

/// Who bears the token. ec::denied says in one sentence what is wrong with it, and repeats nothing
/// of it; ec::not_found that its key is not in the set, so that newer keys might have it.
[[nodiscard]] result<attributes> check_token(const web_token& token, const key_set& keys,
                                             const token_rules& rules,
                                             std::chrono::system_clock::time_point now);

}  // namespace argosy::access
