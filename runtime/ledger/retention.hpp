// SPDX-License-Identifier: Apache-2.0
// This file declares how long ended jobs and other history are kept, and which of it is due to
// expire. Expiry is an event in the log like any other change, so that every store holds the same
// at the same position.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "runtime/model/event.hpp"

namespace argosy::ledger {

struct retention_config {
  std::chrono::nanoseconds events{std::chrono::hours{7 * 24}};
  std::chrono::nanoseconds jobs{std::chrono::hours{7 * 24}};
  std::chrono::nanoseconds client_ids{std::chrono::hours{7 * 24}};
  /// How many records one event expires at most, so that the store is not busy with it for long.
  std::uint32_t records_max = 5'000;
  std::chrono::nanoseconds audit{std::chrono::hours{90 * 24}};
  std::uint64_t audit_records_max = 1'000'000;  ///< How many recorded calls are kept at most.
};

/// The Unix times of the oldest entries in the store; nothing for a kind without entries.
struct oldest_kept {
  std::optional<std::int64_t> events_ns;
  std::optional<std::int64_t> jobs_ns;
  std::optional<std::int64_t> client_ids_ns;
  /// The time of the oldest recorded round that may expire; the newest round always stays. Rounds
  /// are kept as long as events.
  std::optional<std::int64_t> rounds_ns;
  std::optional<std::int64_t> audit_ns;
  std::uint64_t audit_first = 0;  ///< The lowest number of a recorded call; 0: there is none.
  std::uint64_t audit_last = 0;
};

/// Returns the event that expires what is too old; nothing while everything is young enough.
[[nodiscard]] std::optional<model::event> expire_due(const retention_config& config,
                                                     const oldest_kept& oldest,
                                                     std::int64_t now_ns);

}  // namespace argosy::ledger
