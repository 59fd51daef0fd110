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
#include "runtime/metrics/board.hpp"
#include "runtime/metrics/probe.hpp"

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

/// The probe shows whether the room for the log is known.
struct room_probe final : metrics::probe {
  room_probe() : probe("room") {}

  metrics::gauge unknown{*this, "argosy_log_room_unknown",
                         "1 while nothing tells how much room the nats-server has for the log."};
};

/// Asks for the room of the account. Used by one thread.
class account_watch {
 public:
  using link = std::function<std::shared_ptr<bus::connection>()>;  ///< Null while there is none.
  /// Hears what was found, none for no limit, and says how full the log counts as by that.
  using listener = std::function<eventlog::fill(const account_room&)>;

  /// `sees_disk` says whether the disk of the nats-server is looked at besides.
  account_watch(std::uint64_t replicas, link connection, listener seen,
                std::function<bool()> sees_disk, std::shared_ptr<metrics::board> probes)
      : replicas_(replicas),
        connection_(std::move(connection)),
        seen_(std::move(seen)),
        sees_disk_(std::move(sees_disk)),
        probes_(std::move(probes)) {}

  /// May block for a second. A server that does not answer is asked again after a minute.
  [[nodiscard]] health::concerns look(boot_time now);

 private:
  const std::uint64_t replicas_;
  const link connection_;
  const listener seen_;
  const std::function<bool()> sees_disk_;
  const std::shared_ptr<metrics::board> probes_;
  boot_time next_{};
  account_room room_;
  bool has_answered_ = false;
};

}  // namespace argosy::argosyd
