// SPDX-License-Identifier: Apache-2.0
// Users who prove by a token of an OpenID provider who they are. The provider's keys are fetched by
// one thread and kept; whoever's key is there is answered at once, and only those wait whose key
// has to be fetched, for a limited time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "runtime/access/tokens/clocks.hpp"
#include "runtime/access/tokens/fetch.hpp"
#include "runtime/access/tokens/token_check.hpp"
#include "runtime/border/address_block.hpp"
#include "runtime/border/places_core.hpp"

namespace argosy::access {

/// The token of a header `authorization` of the scheme bearer, in any case of its letters.
[[nodiscard]] std::optional<std::string_view> bearer_token(std::string_view authorization);

/// Fetches the provider's keys: from where its discovery document says that they are. ec::corrupt
/// for documents that are not those of this issuer.
[[nodiscard]] result<key_set> fetch_keys(const std::string& issuer, const std::string& authorities,
                                         std::chrono::milliseconds within,
                                         const fetch_function& fetch);

class oidc_users {
 public:
  using outcome = std::variant<principal, error>;

  struct config {
    token_rules tokens{};
    std::vector<permission_rule> permissions{};
    std::string authorities{};                ///< As in http_request.
    std::chrono::milliseconds within{5'000};  ///< For each of the two documents.
    /// The least time between two fetches, whatever keys tokens name.
    std::chrono::seconds fetch_gap{30};
    /// The same after one that failed.
    std::chrono::seconds failure_gap{10};
    /// Keys of this age are fetched again, so that those which the provider drops do not stay.
    std::chrono::seconds renewed_after{900};
    /// Keys of this age are no longer used.
    std::chrono::seconds used_for{24 * 3'600};
    std::size_t waiting_max = 1'000;
    std::size_t waiting_each = 100;  ///< How many of these may come from one block of addresses.
    /// Hears on the thread of this object why keys could not be fetched. Callers are not told.
    std::function<void(const error&)> failed = [](const error&) {};
  };

  oidc_users(config settings, fetch_function fetch, clocks now = {});
  /// Calls back with ec::unavailable to those who wait. Waits for a fetch under way.
  ~oidc_users();
  oidc_users(const oidc_users&) = delete;
  oidc_users& operator=(const oidc_users&) = delete;

  /// Fetches the keys before anybody needs them, so that a mistake in the settings is told at once.
  void fetch_early();

  /// Calls back exactly once: at once for a token whose key is known or which is wrong in any case,
  /// else on the thread of this object. ec::denied says what is wrong with the token,
  /// ec::unavailable that the provider cannot be asked, ec::overloaded that too many wait.
  void check(const border::address_block& from, std::string_view token,
             std::function<void(outcome)> then);

 private:
  using moment = std::chrono::steady_clock::time_point;
  using keys_pointer = std::shared_ptr<const key_set>;
  struct question {
    web_token token;
    std::function<void(outcome)> then;
  };

  void work(const std::stop_token& stop);
  /// An answer, or nothing if other keys could change it.
  [[nodiscard]] std::optional<outcome> judge(const web_token& token, const key_set& keys) const;
  [[nodiscard]] outcome settled(const web_token& token, const keys_pointer& keys,
                                bool failed) const;
  // These are called with the lock held.
  [[nodiscard]] keys_pointer usable_keys(moment now) const;
  [[nodiscard]] bool may_fetch(moment now) const;

  const config settings_;
  const fetch_function fetch_;
  const clocks now_;
  std::mutex guard_;  ///< Guards what follows.
  std::condition_variable_any changed_;
  keys_pointer keys_;
  moment keys_since_{};
  std::optional<moment> tried_;
  bool failed_ = false;  ///< The last fetch did.
  bool wanted_ = false;
  bool fetching_ = false;
  std::vector<question> waiting_;
  border::places_core places_;  ///< Those who wait have them.
  std::jthread worker_;
};

}  // namespace argosy::access
