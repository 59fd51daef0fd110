// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/token_check.hpp"

#include <algorithm>
#include <sstream>

#include "runtime/access/tokens/refusals.hpp"

namespace argosy::access {

namespace {

error refused(const char* why) {
  return {ec::denied, why};
}

/// What needs no key. It comes first, so that tokens of others cost no question to the provider.
result<token_algorithm> check_header(const web_token& token, const token_rules& rules) {
  const auto how = parse_algorithm(token.algorithm);
  if (!how || std::ranges::find(rules.algorithms, *how) == rules.algorithms.end())
    return fail(refused("the token is not signed by an algorithm that this server accepts"));
  if (token.demands)
    return fail(refused("the token demands extensions that this server does not have"));
  if (token.text("iss") != rules.issuer) return fail(refused("the token is of another issuer"));
  return *how;
}

result<void> check_signature(const web_token& token, const key_set& keys, token_algorithm how) {
  bool known = false;
  for (const auto& key : keys) {
    if (!token.key_id.empty() && key.id != token.key_id) continue;
    if (!fits(key, how)) continue;
    known = true;
    if (has_signed(key, how, token.signed_text, token.signature)) return {};
  }
  if (!known) return fail(ec::not_found, "the token is signed by a key that its issuer has not");
  return fail(refused("the signature of the token is wrong"));
}

result<void> check_use(const web_token& token, const token_rules& rules,
                       std::chrono::system_clock::time_point now) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const auto skew = rules.skew.count();
  if (!token.expires) return fail(refused("the token has no end of its life"));
  if (seconds >= *token.expires + skew) return fail(refused("the token has expired"));
  if (token.not_before && seconds < *token.not_before - skew)
    return fail(refused("the token is not valid yet"));
  const auto meant = token.texts("aud");
  if (std::ranges::none_of(meant, [&](const std::string& one) {
        return std::ranges::find(rules.audiences, one) != rules.audiences.end();
      }))
    return fail(refused("the token is meant for others than this server"));
  return {};
}

}  // namespace

result<attributes> check_token(const web_token& token, const key_set& keys,
                               const token_rules& rules,
                               std::chrono::system_clock::time_point now) {
  const auto how = check_header(token, rules);
  if (!how) return fail(how.error());
  if (auto good = check_signature(token, keys, *how); !good) return fail(good.error());
  if (auto good = check_use(token, rules, now); !good) return fail(good.error());
  attributes out;
  out.by = scheme::oidc;
  out.name = token.text(rules.name_claim);
  if (!is_user_name(out.name)) return fail(refused("the token has no name that can be used"));
  if (!rules.groups_claim.empty()) out.groups = token.texts(rules.groups_claim);
  std::istringstream scopes{token.text("scope")};
  for (std::string one; scopes >> one;) out.scopes.push_back(one);
  for (const auto& [name, value] : token.claims) out.claims.push_back(name);
  return out;
}

}  // namespace argosy::access
