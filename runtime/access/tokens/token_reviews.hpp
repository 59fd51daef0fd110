// SPDX-License-Identifier: Apache-2.0
// Users who prove by a token of Kubernetes who they are: the cluster that the token names is asked
// whether it is good. A few threads ask, and answers are kept for a time, so that a cluster that is
// slow delays only who asks about it anew.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "runtime/access/principal.hpp"
#include "runtime/access/tokens/clocks.hpp"
#include "runtime/access/tokens/fetch.hpp"
#include "runtime/access/tokens/remembered.hpp"
#include "runtime/border/address_block.hpp"
#include "runtime/border/fair_line.hpp"

namespace argosy::access {

/// A cluster of Kubernetes whose tokens are taken.
struct reviewer {
  /// The id of the key by which it signs tokens; empty: it is asked about all that name no other.
  std::string key_id{};
  std::string url{};          ///< Where its API is: "https://10.0.0.1:6443".
  std::string authorities{};  ///< As in http_request.
};

/// What a client presents: a token, and the id of the key that signed it.
struct kubernetes_token {
  std::string token{};
  std::string key_id{};
  /// The Unix time in seconds at which it ends, as it says itself.
  std::optional<std::int64_t> expires{};
};

/// Whether a header `authorization` is of this scheme, which is spelled KubernetesAuth.
[[nodiscard]] bool is_kubernetes(std::string_view authorization);
/// Reads "KubernetesAuth <base64url of {"token", "ca"}>"; nothing if it is damaged. `ca` is an
/// authority that the caller himself names, and is therefore not believed.
[[nodiscard]] std::optional<kubernetes_token> parse_kubernetes(std::string_view authorization);

/// The question for a cluster's API. As Armada does, it is asked with the token itself.
[[nodiscard]] http_request review_request(const reviewer& who, const std::string& token);
/// The user name that the answer has. ec::denied for a token that is not good, ec::unavailable for
/// an answer that says neither.
[[nodiscard]] result<std::string> read_review(const http_answer& answer);

class token_reviews {
 public:
  using outcome = std::variant<principal, error>;

  struct config {
    std::vector<reviewer> reviewers{};
    std::vector<permission_rule> permissions{};
    std::chrono::milliseconds within{5'000};
    std::chrono::milliseconds good_for{300'000};  ///< How long an answer counts.
    std::chrono::milliseconds wrong_for{60'000};  ///< The same for a token that is not good.
    std::chrono::milliseconds failed_for{5'000};  ///< How long a cluster that fails is not asked.
    std::size_t threads = 4;
    std::size_t waiting_max = 100;
    std::size_t remembered_max = 10'000;
    /// Hears why a cluster could not be asked, on any thread. Callers are not told.
    std::function<void(const error&)> failed = [](const error&) {};
  };
  token_reviews(config settings, fetch_function fetch, clocks now = {});
  /// Calls back with ec::unavailable to those who wait. Waits for questions under way.
  ~token_reviews();
  token_reviews(const token_reviews&) = delete;
  token_reviews& operator=(const token_reviews&) = delete;

  /// Calls back exactly once: at once for a token that is remembered or that nobody can be asked
  /// about, else on a thread of this object. ec::denied, ec::unavailable and ec::overloaded.
  void check(const border::address_block& from, kubernetes_token shown,
             std::function<void(outcome)> then);

 private:
  struct question {
    std::string key;
    kubernetes_token shown;
    const reviewer* who;
  };

  void work(const std::stop_token& stop);
  [[nodiscard]] const reviewer* find_reviewer(const std::string& key_id) const;
  /// With the lock held: what is known about the token.
  [[nodiscard]] std::optional<outcome> known(const std::string& key, const reviewer& who) const;
  [[nodiscard]] result<std::string> ask(const question& about) const;
  /// How long it counts that the token is good: at most until it ends.
  [[nodiscard]] std::chrono::milliseconds good_time(const kubernetes_token& shown) const;
  [[nodiscard]] principal principal_of(const std::string& name) const;

  const config settings_;
  const fetch_function fetch_;
  const clocks now_;
  const secret_key names_;
  mutable std::mutex guard_;  ///< Guards what follows.
  std::condition_variable_any changed_;
  remembered<std::string> good_;  ///< Tokens, and whose they are.
  remembered<error> wrong_;       ///< Tokens that are not good, and why.
  std::map<const reviewer*, std::chrono::steady_clock::time_point> failed_;  ///< Until when.
  border::fair_line<question> waiting_;
  std::map<std::string, std::vector<std::function<void(outcome)>>> asked_;
  std::vector<std::jthread> workers_;
};

}  // namespace argosy::access
