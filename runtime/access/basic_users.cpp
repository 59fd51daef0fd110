// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/basic_users.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "runtime/access/key_password.hpp"
#include "runtime/access/nkey.hpp"
#include "runtime/access/password.hpp"
#include "runtime/base/check.hpp"

namespace argosy::access {

namespace {

constexpr std::string_view basic_word = "basic ";
/// How many further callers may wait for the answer to one question.
constexpr std::size_t sharers_max = 1'000;

const error wrong{ec::denied, "the user name or the password is wrong"};
const error busy{ec::overloaded, "too many passwords are being checked; try again in a second"};
const error ending{ec::unavailable, "the server stops"};

bool matches(const std::string& password, const std::string& hash) {
  return is_public_key(hash) ? key_password_matches(password, hash)
                             : password_matches(password, hash);
}

}  // namespace

bool is_basic(std::string_view authorization) {
  return authorization.size() >= basic_word.size() &&
         std::equal(
             basic_word.begin(), basic_word.end(), authorization.begin(),
             [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

std::optional<name_and_password> parse_basic(std::string_view authorization) {
  if (!is_basic(authorization)) return std::nullopt;
  const auto text = authorization.substr(basic_word.size());
  if (text.empty() || text.size() % 4 != 0 || text.size() > 4'096) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  const auto size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const auto padding = text.ends_with("==") ? 2u : text.ends_with('=') ? 1u : 0u;
  out.resize(static_cast<std::size_t>(size) - padding);
  const auto colon = out.find(':');
  if (colon == std::string::npos || out.find('\0') != std::string::npos) return std::nullopt;
  return name_and_password{out.substr(0, colon), out.substr(colon + 1)};
}

basic_users::basic_users(std::vector<basic_user> users, std::vector<permission_rule> rules,
                         limits most, clock now)
    : users_(std::move(users)),
      rules_(std::move(rules)),
      most_(most),
      now_(std::move(now)),
      secret_(32, '\0'),
      waiting_(most_.waiting_max) {
  ARGOSY_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(secret_.data()), 32) == 1);
  worker_ = std::jthread{[this](const std::stop_token& stop) { work(stop); }};
}

basic_users::~basic_users() {
  worker_.request_stop();
  worker_.join();
  for (auto& [key, callers] : asked_)
    for (auto& then : callers) then(ending);
}

void basic_users::check(const border::address_block& from, name_and_password what,
                        std::function<void(outcome)> then) {
  auto key = key_of(what);
  std::optional<outcome> at_once;
  std::vector<std::function<void(outcome)>> refused;
  {
    const std::scoped_lock lock{guard_};
    const auto now = now_();
    const auto found = remembered_.find(key);
    if (found != remembered_.end() && now - found->second.used < most_.remembered_for) {
      found->second.used = now;
      at_once = principal_of(*found->second.user);
    } else if (const auto same = asked_.find(key); same != asked_.end()) {
      if (same->second.size() < sharers_max) {
        same->second.push_back(std::move(then));
        return;
      }
      at_once = busy;
    } else {
      asked_[key].push_back(std::move(then));
      const auto gone = waiting_.add(from, {std::move(key), std::move(what)});
      if (gone) refused = std::move(asked_.extract(gone->key).mapped());
      changed_.notify_one();
    }
  }
  if (at_once) then(std::move(*at_once));
  for (const auto& each : refused) each(busy);
}

void basic_users::work(const std::stop_token& stop) {
  std::unique_lock lock{guard_};
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); }) && !stop.stop_requested()) {
    const auto next = waiting_.take();
    lock.unlock();
    const auto* const user = verify(next.what);
    lock.lock();
    // The owner of a key can make many passwords, of which only the last is remembered, so that
    // there are never more of these than users.
    if (user != nullptr) {
      std::erase_if(remembered_, [user](const auto& one) { return one.second.user == user; });
      remembered_[next.key] = {user, now_()};
    }
    auto callers = asked_.extract(next.key);
    lock.unlock();
    for (const auto& then : callers.mapped())
      then(user != nullptr ? outcome{principal_of(*user)} : outcome{wrong});
    lock.lock();
  }
}

/// A wrong password costs the check of a hash for an unknown name and for one with a key alone as
/// well, so that the time does not tell which names there are.
const basic_user* basic_users::verify(const name_and_password& what) const {
  if (users_.empty()) return nullptr;
  bool has_hash = false;
  for (const auto& user : users_) {
    if (user.name != what.name) continue;
    has_hash = has_hash || !is_public_key(user.password_hash);
    if (matches(what.password, user.password_hash)) return &user;
  }
  if (!has_hash) static_cast<void>(matches(what.password, users_.front().password_hash));
  return nullptr;
}

/// Keyed, so that what is remembered is of no use outside of this process.
std::string basic_users::key_of(const name_and_password& what) const {
  const auto text = what.name + ':' + what.password;
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &size);
  return {reinterpret_cast<const char*>(out.data()), size};
}

principal basic_users::principal_of(const basic_user& who) const {
  auto out = make_principal({who.name, who.groups, {}, {}, scheme::basic}, rules_);
  out.permissions.add(who.granted);
  return out;
}

}  // namespace argosy::access
