// SPDX-License-Identifier: Apache-2.0
// The rules of leading: claiming the next epoch through the log, and standing down. Owned by a
// LEADER; not thread-safe. The log alone decides who leads: of two candidates that append at the
// same place one is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/ledger/change.hpp"

namespace argosy::ledger {

enum class leader_role : std::uint8_t {
  follower,
  candidate,  ///< A claim is on its way.
  leader,
  retired,  ///< Led once and must not go on; a new process, or a rebuilt state, starts over.
};

/// What the LEADER has to do next.
enum class leader_action : std::uint8_t {
  none,
  claim,       ///< Append the event of claim() where the log ends.
  read_log,    ///< The outcome is not known or another was first: read to the end, then ask again.
  lead,        ///< The epoch is ours.
  follow,      ///< Another leads.
  stand_down,  ///< Stop acting at once and rebuild from the log.
};

class leader_core {
 public:
  explicit leader_core(std::string holder) : holder_(std::move(holder)) {}

  /// A leader_elected read from the log, in log order.
  leader_action observe(const model::leader_elected& elected);
  /// The log was read to its end. A candidate whose claim is not there may claim again.
  leader_action caught_up();

  /// The event to append; makes a follower a candidate. Nothing in any other role.
  [[nodiscard]] std::optional<model::leader_elected> claim();
  /// What the append of the claim said.
  leader_action claim_appended(const result<void>& outcome);

  /// What any later append said. Time-outs are the JOURNAL's to retry, and a full log or an
  /// oversized record sheds commands; anything else means that the log is not ours to write.
  leader_action append_failed(const error& err);
  /// The store could not commit.
  leader_action store_failed();
  /// The process did nothing for so long; longer than the takeover time it may be deposed.
  leader_action stalled(boot_time gap, boot_time takeover_max);
  /// A higher epoch was seen elsewhere, by an agent or another leader's heartbeat.
  leader_action epoch_seen(std::uint64_t epoch);

  [[nodiscard]] leader_role role() const noexcept { return role_; }
  /// The epoch held; 0 when not leading.
  [[nodiscard]] std::uint64_t epoch() const noexcept;
  /// The highest epoch in the log so far, and its holder.
  [[nodiscard]] std::uint64_t epoch_seen() const noexcept { return seen_; }
  [[nodiscard]] const std::string& holder_seen() const noexcept { return seen_holder_; }

 private:
  leader_action stand_down();

  std::string holder_;
  leader_role role_ = leader_role::follower;
  std::uint64_t seen_ = 0;
  std::string seen_holder_;
  std::uint64_t claimed_ = 0;
};

/// The changes of events that belong to no queue and no cluster: leader_elected and round_decided.
[[nodiscard]] change_list control_changes(const model::event& e);

}  // namespace argosy::ledger
