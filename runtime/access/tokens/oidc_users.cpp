// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/oidc_users.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "runtime/access/tokens/json_text.hpp"
#include "runtime/access/tokens/refusals.hpp"

namespace argosy::access {

namespace {

using nlohmann::json;

constexpr std::string_view bearer_word = "bearer ";

result<std::string> fetch_text(std::string url, const std::string& authorities,
                               std::chrono::milliseconds within, const fetch_function& fetch) {
  if (!is_safe_url(url))
    return fail(ec::corrupt, "'" + url + "' is not asked: it is neither https nor on loopback");
  http_request asked;
  asked.url = std::move(url);
  asked.authorities = authorities;
  asked.within = within;
  auto got = fetch(asked);
  if (!got) return fail(std::move(got.error()));
  if (got->status != 200)
    return fail(ec::unreachable,
                "'" + asked.url + "' answers with status " + std::to_string(got->status));
  return std::move(got->body);
}

}  // namespace

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  if (authorization.size() < bearer_word.size() ||
      !std::equal(bearer_word.begin(), bearer_word.end(), authorization.begin(),
                  [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); }))
    return std::nullopt;
  return authorization.substr(bearer_word.size());
}

result<key_set> fetch_keys(const std::string& issuer, const std::string& authorities,
                           std::chrono::milliseconds within, const fetch_function& fetch) {
  auto base = issuer;
  while (base.ends_with('/')) base.pop_back();
  const auto text =
      fetch_text(base + "/.well-known/openid-configuration", authorities, within, fetch);
  if (!text) return fail(text.error());
  const auto read = json::parse(*text, nullptr, false);
  if (text_of(read, "issuer") != issuer)
    return fail(ec::corrupt,
                "the discovery document of '" + issuer +
                    "' is not that of this "
                    "issuer; access.oidc.issuer has to be spelled as its provider does");
  const auto keys = fetch_text(text_of(read, "jwks_uri"), authorities, within, fetch);
  if (!keys) return fail(keys.error());
  return parse_keys(*keys);
}

oidc_users::oidc_users(config settings, fetch_function fetch, clocks now)
    : settings_(std::move(settings)),
      fetch_(std::move(fetch)),
      now_(std::move(now)),
      places_(settings_.waiting_max, settings_.waiting_each) {
  worker_ = std::jthread{[this](const std::stop_token& stop) { work(stop); }};
}

oidc_users::~oidc_users() {
  worker_.request_stop();
  worker_.join();
  for (const auto& one : waiting_) one.then(server_stops());
}

void oidc_users::fetch_early() {
  const std::scoped_lock lock{guard_};
  wanted_ = true;
  changed_.notify_one();
}

void oidc_users::check(const border::address_block& from, std::string_view token,
                       std::function<void(outcome)> then) {
  auto read = parse_token(token);
  if (!read) {
    then(read.error());
    return;
  }
  keys_pointer keys;
  {
    const std::scoped_lock lock{guard_};
    const auto now = now_.steady();
    keys = usable_keys(now);
    if (keys && now - keys_since_ >= settings_.renewed_after && !fetching_ && may_fetch(now)) {
      wanted_ = true;
      changed_.notify_one();
    }
  }
  if (auto answer = judge(*read, keys ? *keys : key_set{})) {
    then(std::move(*answer));
    return;
  }
  std::optional<outcome> at_once;
  {
    const std::scoped_lock lock{guard_};
    const auto now = now_.steady();
    const bool fetch = fetching_ || wanted_ || may_fetch(now);
    if (fetch && !places_.enter(from)) {
      at_once = too_many_wait();
    } else if (fetch) {
      waiting_.push_back({std::move(*read), std::move(then)});
      wanted_ = wanted_ || !fetching_;
      changed_.notify_one();
      return;
    }
    if (!at_once) at_once = settled(*read, usable_keys(now), failed_);
  }
  then(std::move(*at_once));
}

void oidc_users::work(const std::stop_token& stop) {
  std::unique_lock lock{guard_};
  while (changed_.wait(lock, stop, [&] { return wanted_; }) && !stop.stop_requested()) {
    wanted_ = false;
    fetching_ = true;
    lock.unlock();
    auto got = fetch_keys(settings_.tokens.issuer, settings_.authorities, settings_.within, fetch_);
    lock.lock();
    fetching_ = false;
    const auto now = now_.steady();
    tried_ = now;
    failed_ = !got.has_value();
    if (got) {
      keys_ = std::make_shared<const key_set>(std::move(*got));
      keys_since_ = now;
    }
    const auto keys = usable_keys(now);
    const auto answered = std::exchange(waiting_, {});
    places_.clear();
    lock.unlock();
    if (!got) settings_.failed(got.error());
    for (const auto& one : answered) one.then(settled(one.token, keys, !got));
    lock.lock();
  }
}

std::optional<oidc_users::outcome> oidc_users::judge(const web_token& token,
                                                     const key_set& keys) const {
  auto who = check_token(token, keys, settings_.tokens, now_.wall());
  if (who) return make_principal(std::move(*who), settings_.permissions);
  if (who.error().code == ec::not_found) return std::nullopt;
  return std::move(who.error());
}

oidc_users::outcome oidc_users::settled(const web_token& token, const keys_pointer& keys,
                                        bool failed) const {
  if (keys)
    if (auto answer = judge(token, *keys)) return std::move(*answer);
  if (failed)
    return error{ec::unavailable,
                 "the OpenID provider cannot be asked for its keys; argosyd's log says why"};
  return error{ec::denied, "the token is signed by a key that its issuer does not have"};
}

oidc_users::keys_pointer oidc_users::usable_keys(moment now) const {
  return keys_ && now - keys_since_ < settings_.used_for ? keys_ : nullptr;
}

bool oidc_users::may_fetch(moment now) const {
  if (!tried_) return true;
  return now - *tried_ >= (failed_ ? settings_.failure_gap : settings_.fetch_gap);
}

}  // namespace argosy::access
