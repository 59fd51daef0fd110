// SPDX-License-Identifier: Apache-2.0
// This file declares how argosyd finds out how much room the nats-server still has for its log,
// where that is on another machine: a server gives each account room for all its streams, of which
// those of others take a part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/eventlog/fill.hpp"
#include "runtime/health/concern.hpp"

namespace argosy::argosyd {

/// The room that all streams of an account use on their server, and the room that the server allows
/// them. Both are bytes of one copy.
struct account_room {
  std::uint64_t used = 0;
  std::uint64_t allowed = 0;

  [[nodiscard]] std::uint64_t free() const noexcept { return allowed > used ? allowed - used : 0; }
};

/// Reads the answer of JetStream about an account, for streams with so many copies. Nothing if the
/// server sets the account no limit, or if this is no such answer.
[[nodiscard]] std::optional<account_room> parse_account(std::string_view answer,
                                                        std::uint64_t replicas);

/// Asks for the room of the account. Used by one thread.
class account_watch {
 public:
  using link = std::function<std::shared_ptr<bus::connection>()>;  ///< Null while there is none.
  /// Hears what was found, none for no limit, and says how full the log counts as by that.
  using listener = std::function<eventlog::fill(const account_room&)>;

  account_watch(std::uint64_t replicas, link connection, listener seen)
      : replicas_(replicas), connection_(std::move(connection)), seen_(std::move(seen)) {}

  /// May block for a second. A server that does not answer is asked again after a minute.
  [[nodiscard]] health::concerns look(boot_time now);

 private:
  const std::uint64_t replicas_;
  const link connection_;
  const listener seen_;
  boot_time next_{};
  account_room room_;
};

}  // namespace argosy::argosyd
