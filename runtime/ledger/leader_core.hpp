// SPDX-License-Identifier: Apache-2.0
// The rules of leading: claiming the next epoch through the log, and standing down. Owned by a
// LEADER; not thread-safe. The log alone decides who leads: of two candidates that append at the
// same place one is refused.
#pragma once

#include <chrono>
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

struct leader_times {
  /// How often a leader looks whether it was held up.
  std::chrono::milliseconds heartbeat{1'000};
  /// A process that did nothing for so long may have been deposed, and stands down.
  std::chrono::milliseconds takeover{30'000};
};

class leader_core {
 public:
  /// `nonce` tells this claim from every other one; two candidates never have the same.
  leader_core(std::string holder, std::uint64_t nonce)
      : holder_(std::move(holder)), nonce_(nonce) {}

  /// A leader_elected read from the log, in log order.
  leader_action observe(const model::leader_elected& elected);
  /// The log was read to its end. A candidate whose claim is not there may claim again.
  leader_action caught_up();

  /// The event to append; makes a follower a candidate. Nothing in any other role.
  [[nodiscard]] std::optional<model::leader_elected> claim();
  /// What the append of the claim said.
  leader_action claim_appended(const result<void>& outcome);

  /// Something says that this process must not go on: the log or the store failed for good, or an
  /// agent has seen a higher epoch.
  leader_action stand_down();
  /// The process did nothing for so long; longer than the takeover time it may be deposed.
  leader_action stalled(boot_time gap, boot_time takeover_max);

  [[nodiscard]] leader_role role() const noexcept { return role_; }
  /// The epoch held; 0 when not leading.
  [[nodiscard]] std::uint64_t epoch() const noexcept;

 private:
  [[nodiscard]] bool is_own(const model::leader_elected& elected) const;

  std::string holder_;
  std::uint64_t nonce_ = 0;
  leader_role role_ = leader_role::follower;
  std::uint64_t seen_ = 0;  ///< The highest epoch in the log so far.
  std::uint64_t claimed_ = 0;
};

/// The changes of events that belong to no queue and no cluster: leader_elected and round_decided.
[[nodiscard]] change_list control_changes(const model::event& e);

}  // namespace argosy::ledger
