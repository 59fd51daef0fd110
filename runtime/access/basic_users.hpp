// SPDX-License-Identifier: Apache-2.0
// Users who prove by a password who they are. A check takes long on purpose; one thread does all of
// them, blocks of addresses that wait are served in turn, and who was right is remembered, so that
// neither a flood of wrong passwords nor the many calls of one client cost more than that thread or
// keep others from it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "runtime/access/principal.hpp"
#include "runtime/base/error.hpp"
#include "runtime/border/address_block.hpp"
#include "runtime/border/fair_line.hpp"

namespace argosy::access {

struct basic_user {
  std::string name{};
  std::string password_hash{};  ///< Or the public key of the NKey whose owner makes the password.
  std::vector<std::string> groups{};
  permission_set granted{};  ///< Beside what the rules give his groups.
};

struct name_and_password {
  std::string name;
  std::string password;
};

/// Whether a header `authorization` is of the scheme basic, in any case of its letters.
[[nodiscard]] bool is_basic(std::string_view authorization);
/// Reads "basic <base64(user:password)>"; nothing if it is damaged.
[[nodiscard]] std::optional<name_and_password> parse_basic(std::string_view authorization);

class basic_users {
 public:
  using outcome = std::variant<principal, error>;
  using clock = std::function<std::chrono::steady_clock::time_point()>;

  struct limits {
    std::size_t waiting_max = 100;            ///< How many different passwords may wait.
    std::chrono::minutes remembered_for{60};  ///< Since its last use.
  };

  /// Those with a hash come before those with a key.
  basic_users(
      std::vector<basic_user> users, std::vector<permission_rule> rules, limits most,
      clock now = [] { return std::chrono::steady_clock::now(); });
  /// Calls back with ec::unavailable to those who wait.
  ~basic_users();
  basic_users(const basic_users&) = delete;
  basic_users& operator=(const basic_users&) = delete;

  /// Calls back exactly once: at once for who is remembered or cannot wait, else on the thread of
  /// this object. ec::denied is the same for an unknown name and a wrong password;
  /// ec::overloaded means that too many wait, and no block of addresses has more of them.
  void check(const border::address_block& from, name_and_password what,
             std::function<void(outcome)> then);

 private:
  struct question {
    std::string key;
    name_and_password what;
  };
  struct memory {
    const basic_user* user;
    std::chrono::steady_clock::time_point used;
  };

  void work(const std::stop_token& stop);
  [[nodiscard]] const basic_user* verify(const name_and_password& what) const;
  [[nodiscard]] std::string key_of(const name_and_password& what) const;
  [[nodiscard]] principal principal_of(const basic_user& who) const;

  const std::vector<basic_user> users_;
  const std::vector<permission_rule> rules_;
  const limits most_;
  const clock now_;
  std::string secret_;
  std::mutex guard_;  ///< Guards what follows.
  std::condition_variable_any changed_;
  std::map<std::string, memory> remembered_;
  border::fair_line<question> waiting_;
  /// Who waits for the answer to the question with this key.
  std::map<std::string, std::vector<std::function<void(outcome)>>> asked_;
  std::jthread worker_;
};

}  // namespace argosy::access
