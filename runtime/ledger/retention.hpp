// SPDX-License-Identifier: Apache-2.0
// How long what has ended is kept, and what is due to go. Going is an event of the log like any
// other change, so that every replica's store holds the same at the same position.
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
  /// Records that one event expires: a bound on how long the store is busy with it.
  std::uint32_t records_max = 5'000;
};

/// Unix times of what the store has as oldest; nothing where there is nothing.
struct oldest_kept {
  std::optional<std::int64_t> events_ns;
  std::optional<std::int64_t> jobs_ns;
  std::optional<std::int64_t> client_ids_ns;
  /// Of a recorded round that may go: the newest stays. Rounds are kept as long as events.
  std::optional<std::int64_t> rounds_ns;
};

/// The event that is due; nothing while nothing is older than it may be.
[[nodiscard]] std::optional<model::event> expire_due(const retention_config& config,
                                                     const oldest_kept& oldest,
                                                     std::int64_t now_ns);

}  // namespace argosy::ledger
