// SPDX-License-Identifier: Apache-2.0
// The leader_core has the rules of leading: a process claims the next epoch through the log, and
// stands down when it must not lead any more. A LEADER owns it; it is not thread-safe. The log
// alone decides who leads: when two candidates append at the same position, one is refused.
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
  /// It led once and must not go on. Only a new process, or a rebuilt state, can lead again.
  retired,
};

/// What the LEADER has to do next.
enum class leader_action : std::uint8_t {
  none,
  claim,  ///< Append the event of claim() at the end of the log.
  /// The outcome is not known, or another claim was first: read the log to its end, then call
  /// caught_up().
  read_log,
  lead,        ///< This process holds the epoch.
  follow,      ///< Another leads.
  stand_down,  ///< Stop acting at once and rebuild from the log.
};

struct leader_times {
  /// How often a leader checks whether it was held up.
  std::chrono::milliseconds heartbeat{1'000};
  /// A process that did nothing for this long may have been deposed, and stands down.
  std::chrono::milliseconds takeover{30'000};
  /// A leader claims an epoch above one that agents have seen at most once in this time.
  std::chrono::milliseconds raise_pause{60'000};
};

class leader_core {
 public:
  /// `nonce` tells this claim from every other one. Two candidates must not have the same nonce.
  /// `control_plane` is the id that stands in every claim.
  leader_core(std::string holder, model::claim_nonce nonce, std::string control_plane = {})
      : holder_(std::move(holder)), nonce_(nonce), control_plane_(std::move(control_plane)) {}

  /// Takes a leader_elected that was read from the log. The caller keeps the order of the log.
  leader_action observe(const model::leader_elected& elected);
  /// The log was read to its end. A candidate whose claim is not there may claim again.
  leader_action caught_up();

  /// Makes a follower a candidate and returns the event to append. Returns nothing in any other
  /// role.
  /// `granted` is an epoch that other planes have granted; 0: the next one is claimed.
  [[nodiscard]] std::optional<model::leader_elected> claim(model::epoch granted = {});
  /// Takes the outcome of the append.
  leader_action claim_appended(const result<void>& outcome);

  /// This process must not go on: the log or the store failed for good, or another has claimed.
  leader_action stand_down();
  /// The process did nothing for the time `gap`. If that is more than `takeover_max`, it may have
  /// been deposed, and a leader has to read the log.
  [[nodiscard]] leader_action stalled(boot_time gap, boot_time takeover_max) const;

  /// An agent has seen this epoch in the hands of another. Unless it is below the one that this
  /// process holds, the other may lead, and a leader has to read the log. Implausible epochs change
  /// nothing.
  leader_action seen_by_agent(model::epoch epoch);
  /// A leader has read the log to its end, and nobody else has claimed. Returns a claim above the
  /// highest epoch that an agent has seen, if that is not below the own one and the last such claim
  /// is `pause_min` ago. The outcome goes to raised().
  [[nodiscard]] std::optional<model::leader_elected> claim_above(boot_time now,
                                                                 boot_time pause_min);
  /// The claim of claim_above() stands in the log with this epoch.
  void raised(model::epoch epoch);

  [[nodiscard]] leader_role role() const noexcept { return role_; }
  /// The epoch that this process holds; 0 when it does not lead.
  [[nodiscard]] model::epoch epoch() const noexcept;

 private:
  [[nodiscard]] bool is_own(const model::leader_elected& elected) const;

  std::string holder_;
  model::claim_nonce nonce_;
  std::string control_plane_;
  leader_role role_ = leader_role::follower;
  model::epoch seen_;  ///< The highest epoch in the log so far.
  model::epoch claimed_;
  model::epoch told_;  ///< The highest epoch that an agent has seen of another.
  std::optional<boot_time> raised_at_;
};

/// The changes of events that belong to no queue and no cluster, such as leader_elected.
[[nodiscard]] change_list control_changes(const model::event& e);

}  // namespace argosy::ledger
