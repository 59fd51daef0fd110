// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/token_reviews.hpp"

#include <algorithm>

#include "runtime/access/tokens/base64url.hpp"
#include "runtime/access/tokens/json_text.hpp"
#include "runtime/access/tokens/refusals.hpp"
#include "runtime/access/tokens/web_token.hpp"

namespace argosy::access {

namespace {

using nlohmann::json;

constexpr std::string_view kubernetes_word = "KubernetesAuth ";
/// How many further callers may wait for the answer to one question.
constexpr std::size_t sharers_max = 1'000;

const error wrong{ec::denied, "the cluster of Kubernetes does not know the token"};
const error unreviewable{ec::denied,
                         "the owner of the token may not ask his cluster of Kubernetes about "
                         "tokens; the role system:auth-delegator lets him"};
const error unknown{ec::denied, "the token is of no cluster of Kubernetes that this server asks"};
const error failed{ec::unavailable,
                   "the cluster of Kubernetes cannot be asked about the token; argosyd's log says "
                   "why"};

json member(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found == object.end() ? json{} : *found;
}

}  // namespace

bool is_kubernetes(std::string_view authorization) {
  return authorization.starts_with(kubernetes_word);
}

std::optional<kubernetes_token> parse_kubernetes(std::string_view authorization) {
  if (!is_kubernetes(authorization)) return std::nullopt;
  const auto encoded = authorization.substr(kubernetes_word.size());
  // The authority inside may be as long again as the token.
  if (encoded.size() > 4 * token_bytes_max) return std::nullopt;
  const auto text = decode_base64url(encoded);
  if (!text) return std::nullopt;
  kubernetes_token out;
  out.token = text_of(json::parse(*text, nullptr, false), "token");
  // Only what it says of its key is taken; whether that is true the cluster decides.
  const auto token = parse_token(out.token);
  if (!token) return std::nullopt;
  out.key_id = token->key_id;
  out.expires = token->expires;
  return out;
}

http_request review_request(const reviewer& who, const std::string& token) {
  http_request out;
  out.url = who.url;
  while (out.url.ends_with('/')) out.url.pop_back();
  out.url += "/apis/authentication.k8s.io/v1/tokenreviews";
  out.body = json{{"apiVersion", "authentication.k8s.io/v1"},
                  {"kind", "TokenReview"},
                  {"spec", {{"token", token}}}}
                 .dump();
  out.authorization = "Bearer " + token;
  out.authorities = who.authorities;
  return out;
}

result<std::string> read_review(const http_answer& answer) {
  if (answer.status == 401) return fail(wrong);
  if (answer.status == 403) return fail(unreviewable);
  // Whatever else is the fault of this question must not count against its cluster.
  if (answer.status >= 400 && answer.status < 500 && answer.status != 429) return fail(wrong);
  if (answer.status != 200 && answer.status != 201)
    return fail(ec::unavailable,
                "a review of a token was answered with status " + std::to_string(answer.status));
  const auto status = member(json::parse(answer.body, nullptr, false), "status");
  if (!status.is_object())
    return fail(ec::unavailable, "the answer to a review of a token is no TokenReview");
  if (const auto good = member(status, "authenticated"); !good.is_boolean() || !good.get<bool>())
    return fail(wrong);
  auto name = text_of(member(status, "user"), "username");
  if (!is_user_name(name))
    return fail(ec::denied, "the cluster of Kubernetes gives a user name that cannot be used");
  return name;
}

token_reviews::token_reviews(config settings, fetch_function fetch, clocks now)
    : settings_(std::move(settings)),
      fetch_(std::move(fetch)),
      now_(std::move(now)),
      good_(settings_.remembered_max),
      wrong_(settings_.remembered_max),
      waiting_(settings_.waiting_max) {
  for (std::size_t i = 0; i < settings_.threads; ++i)
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

token_reviews::~token_reviews() {
  for (auto& worker : workers_) worker.request_stop();
  for (auto& worker : workers_) worker.join();
  for (auto& [key, callers] : asked_)
    for (auto& then : callers) then(server_stops());
}

void token_reviews::check(const border::address_block& from, kubernetes_token shown,
                          std::function<void(outcome)> then) {
  const auto* const who = find_reviewer(shown.key_id);
  if (who == nullptr) {
    then(unknown);
    return;
  }
  auto key = names_.name_of(shown.token);
  std::optional<outcome> at_once;
  std::vector<std::function<void(outcome)>> refused;
  {
    const std::scoped_lock lock{guard_};
    at_once = known(key, *who);
    if (at_once) {
      // It is answered below, without the lock.
    } else if (const auto same = asked_.find(key); same != asked_.end()) {
      if (same->second.size() < sharers_max) {
        same->second.push_back(std::move(then));
        return;
      }
      at_once = too_many_wait();
    } else {
      asked_[key].push_back(std::move(then));
      const auto gone = waiting_.add(from, {std::move(key), std::move(shown), who});
      if (gone) refused = std::move(asked_.extract(gone->key).mapped());
      changed_.notify_one();
    }
  }
  if (at_once) then(std::move(*at_once));
  for (const auto& each : refused) each(too_many_wait());
}

void token_reviews::work(const std::stop_token& stop) {
  std::unique_lock lock{guard_};
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); }) && !stop.stop_requested()) {
    const auto next = waiting_.take();
    // Its cluster may have failed others while it waited.
    auto answer = known(next.key, *next.who);
    if (!answer) {
      lock.unlock();
      const auto name = ask(next);
      lock.lock();
      const auto now = now_.steady();
      if (name)
        good_.put(next.key, *name, now + good_time(next.shown), now);
      else if (name.error().code == ec::denied)
        wrong_.put(next.key, name.error(), now + settings_.wrong_for, now);
      else
        failed_[next.who] = now + settings_.failed_for;
      answer = name ? outcome{principal_of(*name)}
                    : outcome{name.error().code == ec::denied ? name.error() : failed};
    }
    auto callers = asked_.extract(next.key);
    lock.unlock();
    for (const auto& then : callers.mapped()) then(*answer);
    lock.lock();
  }
}

const reviewer* token_reviews::find_reviewer(const std::string& key_id) const {
  const auto& all = settings_.reviewers;
  auto found = key_id.empty() ? all.end() : std::ranges::find(all, key_id, &reviewer::key_id);
  if (found == all.end()) found = std::ranges::find(all, std::string{}, &reviewer::key_id);
  return found == all.end() ? nullptr : &*found;
}

std::optional<token_reviews::outcome> token_reviews::known(const std::string& key,
                                                           const reviewer& who) const {
  const auto now = now_.steady();
  if (const auto* name = good_.find(key, now)) return principal_of(*name);
  if (const auto* why = wrong_.find(key, now)) return *why;
  const auto found = failed_.find(&who);
  if (found != failed_.end() && now < found->second) return failed;
  return std::nullopt;
}

result<std::string> token_reviews::ask(const question& about) const {
  auto request = review_request(*about.who, about.shown.token);
  request.within = settings_.within;
  const auto answer = fetch_(request);
  auto name = answer ? read_review(*answer) : result<std::string>{fail(answer.error())};
  if (!name && name.error().code != ec::denied) settings_.failed(name.error());
  return name;
}

std::chrono::milliseconds token_reviews::good_time(const kubernetes_token& shown) const {
  if (!shown.expires) return settings_.good_for;
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(now_.wall().time_since_epoch());
  const auto left = std::chrono::seconds{*shown.expires} - now;
  return std::clamp(left, std::chrono::milliseconds{0}, settings_.good_for);
}

principal token_reviews::principal_of(const std::string& name) const {
  return make_principal({name, {name}, {}, {}, scheme::kubernetes}, settings_.permissions);
}

}  // namespace argosy::access
