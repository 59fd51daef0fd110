// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/web_token.hpp"

#include <cmath>

#include "runtime/access/tokens/base64url.hpp"
#include "runtime/access/tokens/json_text.hpp"

namespace argosy::access {

namespace {

using nlohmann::json;

constexpr double seconds_max = 4e11;  ///< Later times are no times.

std::optional<json> parse_object(std::string_view encoded) {
  const auto text = decode_base64url(encoded);
  if (!text) return std::nullopt;
  auto out = json::parse(*text, nullptr, false);
  if (!out.is_object()) return std::nullopt;
  return out;
}

std::vector<std::string> texts_of(const json& value) {
  std::vector<std::string> out;
  if (value.is_string()) out.push_back(value.get<std::string>());
  if (value.is_array())
    for (const auto& item : value)
      if (item.is_string()) out.push_back(item.get<std::string>());
  return out;
}

/// False if there is such a claim and it is no time.
bool read_time(const json& claims, const char* name, std::optional<std::int64_t>& to) {
  const auto found = claims.find(name);
  if (found == claims.end()) return true;
  if (!found->is_number()) return false;
  const auto seconds = found->get<double>();
  if (!std::isfinite(seconds) || seconds < 0 || seconds > seconds_max) return false;
  to = static_cast<std::int64_t>(seconds);
  return true;
}

}  // namespace

std::string web_token::text(const std::string& claim) const {
  const auto found = claims.find(claim);
  return found != claims.end() && found->second.size() == 1 ? found->second.front() : "";
}

std::vector<std::string> web_token::texts(const std::string& claim) const {
  const auto found = claims.find(claim);
  return found == claims.end() ? std::vector<std::string>{} : found->second;
}

result<web_token> parse_token(std::string_view text) {
  const auto no_token = [] { return fail(ec::denied, "the token is no signed JWT"); };
  if (text.size() > token_bytes_max) return fail(ec::denied, "the token is too long");
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return no_token();
  if (text.find('.', second + 1) != std::string_view::npos) return no_token();
  const auto header = parse_object(text.substr(0, first));
  const auto claims = parse_object(text.substr(first + 1, second - first - 1));
  auto signature = decode_base64url(text.substr(second + 1));
  if (!header || !claims || !signature) return no_token();
  web_token out;
  out.algorithm = text_of(*header, "alg");
  out.key_id = text_of(*header, "kid");
  out.demands = header->contains("crit");
  out.signed_text = text.substr(0, second);
  out.signature = std::move(*signature);
  for (const auto& [name, value] : claims->items()) out.claims[name] = texts_of(value);
  if (!read_time(*claims, "exp", out.expires) || !read_time(*claims, "nbf", out.not_before))
    return fail(ec::denied, "the token has a time that is none");
  return out;
}

}  // namespace argosy::access
