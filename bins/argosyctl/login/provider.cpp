// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/login/provider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "runtime/access/tokens/web_token.hpp"

namespace argosy::ctl {

namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr std::chrono::milliseconds request_time{10'000};
constexpr std::size_t words_max = 300;
constexpr std::int64_t seconds_max = 10 * 365 * 86'400LL;
/// How long before its end a token is renewed at the latest, in seconds.
constexpr std::int64_t renewal_margin = 30;

std::string text_in(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// A number of seconds that is above 0; nothing if there is none.
std::optional<std::int64_t> seconds_in(const json& object, const char* name) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  if (!(value >= 1)) return std::nullopt;
  return static_cast<std::int64_t>(std::min(value, static_cast<double>(seconds_max)));
}

std::string form_of(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    out.append(out.empty() ? "" : "&").append(name).append("=");
    for (const unsigned char c : value) {
      const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                         (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
      out += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
    }
  }
  return out;
}

struct answer {
  int status = 0;
  json content{};  ///< Discarded if it is no JSON.
};

result<answer> ask(const context& from, std::string url, std::string form,
                   const access::fetch_function& fetch) {
  access::http_request asked;
  asked.url = std::move(url);
  asked.body = std::move(form);
  asked.content_type = "application/x-www-form-urlencoded";
  asked.authorities = from.issuer_ca;
  asked.within = request_time;
  auto got = fetch(asked);
  if (!got) return fail(std::move(got.error()));
  return answer{got->status, json::parse(got->body, nullptr, false)};
}

/// What the provider says of a refusal: its code, and its words if it has any.
std::string words_of(const answer& got) {
  auto out = text_in(got.content, "error");
  if (out.empty()) return fmt::format("it answers with status {}", got.status);
  if (const auto more = text_in(got.content, "error_description"); !more.empty())
    out += ": " + more;
  return out.substr(0, words_max);
}

/// Temporary trouble of the provider, which is no answer.
bool is_trouble(const answer& got) {
  return got.status >= 500 || got.status == 429;
}

failure in_trouble(const context& from, const answer& got) {
  return fail(ec::unreachable, fmt::format("the OpenID provider '{}' cannot answer now: {}",
                                           from.issuer, words_of(got)));
}

bool is_web_token(const std::string& text) {
  return access::parse_token(text).has_value();
}

/// The token of an answer. What the server can read itself is a JWT: the access token usually is
/// one, and the ID token always.
result<login_token> token_in(const context& from, const json& content, std::int64_t now) {
  login_token out;
  out.token = text_in(content, "access_token");
  if (!is_web_token(out.token)) out.token = text_in(content, "id_token");
  const auto read = access::parse_token(out.token);
  if (!read)
    return fail(ec::denied,
                fmt::format("the OpenID provider '{}' gives no token that others can read (JWT); "
                            "ask for the scope openid",
                            from.issuer));
  out.refresh = text_in(content, "refresh_token");
  if (read->expires)
    out.expires_at = *read->expires;
  else if (const auto good_for = seconds_in(content, "expires_in"))
    out.expires_at = now + *good_for;
  if (out.expires_at > now)
    out.renew_at = out.expires_at - std::min(renewal_margin, (out.expires_at - now) / 2);
  return out;
}

}  // namespace

result<provider> find_provider(const context& from, const access::fetch_function& fetch) {
  auto base = from.issuer;
  while (base.ends_with('/')) base.pop_back();
  const auto url = base + "/.well-known/openid-configuration";
  const auto got = ask(from, url, {}, fetch);
  if (!got) return fail(got.error());
  if (is_trouble(*got)) return in_trouble(from, *got);
  const auto named = text_in(got->content, "issuer");
  if (got->status != 200 || named.empty())
    return fail(ec::invalid_argument,
                fmt::format("'{}' is no OpenID provider: '{}' answers with status {} and names no "
                            "issuer; look at --oidc-issuer",
                            from.issuer, url, got->status));
  if (named != from.issuer)
    return fail(ec::invalid_argument,
                fmt::format("the OpenID provider at '{}' calls itself '{}'; give that as "
                            "--oidc-issuer, if it is the one you mean",
                            from.issuer, named.substr(0, words_max)));
  provider out{text_in(got->content, "device_authorization_endpoint"),
               text_in(got->content, "token_endpoint")};
  for (const auto* address : {&out.device_url, &out.token_url})
    if (!address->empty() && !access::is_safe_url(*address))
      return fail(ec::denied, fmt::format("the OpenID provider '{}' names the address '{}', which "
                                          "is neither https nor on loopback",
                                          from.issuer, address->substr(0, words_max)));
  if (out.token_url.empty())
    return fail(ec::denied,
                fmt::format("the OpenID provider '{}' has no token_endpoint", from.issuer));
  return out;
}

result<device_code> begin_login(const context& from, const provider& at,
                                const access::fetch_function& fetch) {
  if (at.device_url.empty())
    return fail(ec::denied,
                fmt::format("the OpenID provider '{}' has no device_authorization_endpoint: its "
                            "operator has to switch on the device flow (RFC 8628)",
                            from.issuer));
  const auto scopes = from.scopes.empty() ? std::string{"openid"} : from.scopes;
  const auto got =
      ask(from, at.device_url, form_of({{"client_id", from.client_id}, {"scope", scopes}}), fetch);
  if (!got) return fail(got.error());
  if (is_trouble(*got)) return in_trouble(from, *got);
  device_code out;
  out.secret = text_in(got->content, "device_code");
  out.user_code = text_in(got->content, "user_code");
  out.url = text_in(got->content, "verification_uri");
  out.complete_url = text_in(got->content, "verification_uri_complete");
  const auto good_for = seconds_in(got->content, "expires_in");
  if (got->status != 200 || out.secret.empty() || out.user_code.empty() || out.url.empty() ||
      !good_for)
    return fail(ec::denied,
                fmt::format("the OpenID provider '{}' does not let the client '{}' begin a login: "
                            "{}",
                            from.issuer, from.client_id, words_of(*got)));
  out.good_for = seconds{*good_for};
  if (const auto interval = seconds_in(got->content, "interval")) out.interval = seconds{*interval};
  return out;
}

result<login_answer> poll_login(const context& from, const provider& at, const device_code& code,
                                std::int64_t now, const access::fetch_function& fetch) {
  const auto got = ask(from, at.token_url,
                       form_of({{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                                {"device_code", code.secret},
                                {"client_id", from.client_id}}),
                       fetch);
  if (!got) return fail(got.error());
  if (got->status == 200) {
    auto token = token_in(from, got->content, now);
    if (!token) return fail(std::move(token.error()));
    return login_answer{login_state::done, std::move(*token)};
  }
  const auto why = text_in(got->content, "error");
  if (why == "authorization_pending") return login_answer{};
  if (why == "slow_down") return login_answer{login_state::too_fast, {}};
  if (is_trouble(*got)) return in_trouble(from, *got);
  if (why == "access_denied")
    return fail(ec::denied,
                "the login was refused at the OpenID provider (" + words_of(*got) + ")");
  if (why == "expired_token")
    return fail(ec::denied, "the code has expired before it was entered; log in again");
  return fail(ec::denied, fmt::format("the OpenID provider '{}' does not finish the login: {}",
                                      from.issuer, words_of(*got)));
}

result<login_token> renew(const context& from, const provider& at, const login_token& old,
                          std::int64_t now, const access::fetch_function& fetch) {
  const auto got = ask(from, at.token_url,
                       form_of({{"grant_type", "refresh_token"},
                                {"refresh_token", old.refresh},
                                {"client_id", from.client_id}}),
                       fetch);
  if (!got) return fail(got.error());
  if (is_trouble(*got)) return in_trouble(from, *got);
  if (got->status != 200)
    return fail(ec::denied, fmt::format("the OpenID provider '{}' does not renew the token: {}",
                                        from.issuer, words_of(*got)));
  auto out = token_in(from, got->content, now);
  if (out && out->refresh.empty()) out->refresh = old.refresh;
  return out;
}

}  // namespace argosy::ctl
