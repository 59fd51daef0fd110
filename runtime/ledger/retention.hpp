// SPDX-License-Identifier: Apache-2.0
// This file declares how long ended jobs and other history are kept, and which of it is due to
// expire. Expiry is an event in the log like any other change, so that every store holds the same
// at the same position.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::ledger {

/// For how long jobs that ended in each state are kept. Where there is nothing, a less specific
/// rule says it.
struct kept_by_state {
  using span = std::optional<std::chrono::nanoseconds>;

  span succeeded;
  span failed;
  span preempted;
  span cancelled;
  span rejected;

  /// The state must be one in which jobs end.
  [[nodiscard]] const span& of(model::job_state state) const;
};

/// For how long ended jobs of some queues are kept.
struct queue_retention {
  std::string pattern;  ///< The name of a queue, or the beginning of names and `*`.
  /// Is for the states of which by_state says nothing.
  kept_by_state::span all;
  kept_by_state by_state;
};

struct retention_config {
  std::chrono::nanoseconds events{std::chrono::hours{7 * 24}};
  /// Is for ended jobs of which the two members below say nothing.
  std::chrono::nanoseconds jobs{std::chrono::hours{7 * 24}};
  kept_by_state jobs_by_state{};
  std::vector<queue_retention> jobs_by_queue{};
  std::chrono::nanoseconds client_ids{std::chrono::hours{7 * 24}};
  /// How many records one event expires at most, so that the store is not busy with it for long.
  std::uint32_t records_max = 5'000;
  std::chrono::nanoseconds audit{std::chrono::hours{90 * 24}};
  /// How many recorded calls are kept at most; audit_shares says which leave.
  std::uint64_t audit_records_max = 1'000'000;
};

/// For how long a job of the queue is kept that ended in the state. The most specific rule that has
/// a span for it decides: the name of the queue before beginnings of names, longer beginnings
/// before shorter ones, and rules for queues before those for all.
[[nodiscard]] std::chrono::nanoseconds kept_for(const retention_config& config,
                                                std::string_view queue, model::job_state state);

/// The shortest span for which anything is kept.
[[nodiscard]] std::chrono::nanoseconds shortest_kept(const retention_config& config);

/// The Unix time at which the oldest job of a queue ended in a state.
struct oldest_ended {
  model::queue_name queue;
  model::job_state state = model::job_state::succeeded;
  std::int64_t time_ns = 0;

  friend bool operator==(const oldest_ended&, const oldest_ended&) = default;
};

/// The Unix times of the oldest entries in the store; nothing for a kind without entries.
struct oldest_kept {
  std::optional<std::int64_t> events_ns;
  std::vector<oldest_ended> ended;  ///< For each queue and state that has ended jobs.
  std::optional<std::int64_t> client_ids_ns;
  /// The time of the oldest recorded round that may expire; the newest round always stays. Rounds
  /// are kept as long as events.
  std::optional<std::int64_t> rounds_ns;
  std::optional<std::int64_t> audit_ns;
  std::uint64_t audit_first = 0;  ///< The lowest number of a recorded call; 0: there is none.
  std::uint64_t audit_last = 0;
};

/// One event names the ended jobs of so many queues and states at most.
inline constexpr std::size_t ended_limits_max = 1'000;

/// Returns the event that expires what is too old, and the recorded calls of `surplus`, of which
/// there are too many; nothing while all may stay. What does not fit into it is due in the next
/// one.
[[nodiscard]] std::optional<model::event> expire_due(const retention_config& config,
                                                     const oldest_kept& oldest, std::int64_t now_ns,
                                                     std::vector<std::uint64_t> surplus = {});
/// Whether there may be more recorded calls than are kept.
[[nodiscard]] bool may_be_too_many_calls(const retention_config& config,
                                         const oldest_kept& oldest) noexcept;

}  // namespace argosy::ledger
