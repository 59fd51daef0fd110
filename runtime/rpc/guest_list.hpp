// SPDX-License-Identifier: Apache-2.0
// Who is connected: strangers, of whom few have a place, and callers who are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/base/token_bucket.hpp"
#include "runtime/border/address_block.hpp"
#include "runtime/border/oldest_core.hpp"
#include "runtime/rpc/session/byte_pool.hpp"

namespace argosy::rpc {

/// The number of a connection.
using connection_id = std::int64_t;

/// Safe to use from any thread.
class guest_list {
 public:
  struct bounds {
    std::size_t all_max = 10'000;
    /// A connection is a stranger's until a call on it was admitted.
    std::size_t strangers_max = 512;
    std::size_t user_max = 2'500;  ///< Connections of one user.
    /// Bytes of connections, calls, requests and answers that wait, of all known callers and of one
    /// user.
    std::size_t held_max = std::size_t{96} << 20;
    std::size_t user_held_max = std::size_t{24} << 20;
    token_bucket::rule resets{10'000, 1'000};  ///< By the strangers of one address block.
  };

  explicit guest_list(const bounds& from)
      : bounds_(from), held_(std::make_shared<byte_pool>(from.held_max)) {}

  /// Whether there is a place for another connection at all.
  [[nodiscard]] bool has_place() const;
  /// Takes a stranger in. Returns whom to send away for it, if anybody.
  [[nodiscard]] std::optional<connection_id> add(connection_id who,
                                                 const border::address_block& block);
  /// The caller is known by this key. Returns the bytes that he may have waiting on all his
  /// connections; null if he has too many of them, and this one stays a stranger's.
  [[nodiscard]] std::shared_ptr<byte_pool> let_in(connection_id who, std::string_view user);
  void remove(connection_id who);
  /// A stranger has reset a call. False: there are too many resets from there.
  [[nodiscard]] bool may_reset(const border::address_block& from, boot_time now);

  [[nodiscard]] std::size_t strangers() const;
  [[nodiscard]] std::size_t known() const;

 private:
  struct user {
    std::size_t connections = 0;
    std::shared_ptr<byte_pool> held;
  };

  void forget_quiet_blocks(boot_time now);

  const bounds bounds_;
  const std::shared_ptr<byte_pool> held_;
  mutable std::mutex guard_;  ///< Guards what follows.
  border::oldest_core strangers_;
  std::map<connection_id, std::string, std::less<>> known_;
  std::map<std::string, user, std::less<>> users_;
  std::map<border::address_block, token_bucket> resets_;
};

}  // namespace argosy::rpc
