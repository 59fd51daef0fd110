// SPDX-License-Identifier: Apache-2.0
// Decides which of several replicas acts, by one Lease object of the cluster: it takes the object
// when nobody holds it, renews it, and says that it is lost in time for another replica to act.
// Pure: it says what to ask the API server, and times reach it as arguments.
//
// No clock of another machine counts. A candidate waits for the holder's duration from when it saw
// the object change last; a holder counts from before it sent the renewal that was answered. Every
// change names the version of the object that it is made of, so that only one of two succeeds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/lease/lease_record.hpp"

namespace argosy::kube {

struct election_rules {
  std::string name_space;
  std::string name;
  /// Who this replica is. A process with the identity of the holder takes the lease at once: the
  /// caller sees to it that of two such processes the first one is dead.
  std::string identity;
  /// How long the others wait after the last renewal that they saw.
  std::chrono::milliseconds duration{15'000};
  /// How long after a renewal was sent the holder acts at most.
  std::chrono::milliseconds renew_within{10'000};
  std::chrono::milliseconds retry{2'000};  ///< The pause between two requests.
};

/// Says what is wrong: the lease has to be given up well before others may take it.
[[nodiscard]] result<void> validate(const election_rules& rules);

enum class standing : std::uint8_t {
  waiting,  ///< Another replica holds the lease, or it is not known who does.
  leading,
  lost,  ///< It led and may not act any more; nothing leads from here back.
};

class election_core {
 public:
  /// The rules must be valid.
  explicit election_core(election_rules rules) : rules_(std::move(rules)) {}

  /// What is due: a request to send now, whose answer goes to answered(), or nothing. It has to be
  /// called at next_due() or later; a late call of a leader finds that it has lost.
  [[nodiscard]] std::optional<request> tick(boot_time now, wall_time wall);
  void answered(const result<answer>& got, boot_time now);
  /// The request that gives the lease up, so that another replica need not wait; nothing if it is
  /// not held. Whoever calls it acts no more, and sends nothing else.
  [[nodiscard]] std::optional<request> release(boot_time now, wall_time wall);

  [[nodiscard]] boot_time next_due() const noexcept;
  [[nodiscard]] standing now_is() const noexcept { return standing_; }
  /// Until when this replica may act; boot_time::min() if it does not lead.
  [[nodiscard]] boot_time held_until() const noexcept;
  /// Names the time as a leader: no other replica led in it. It is the same after a restart of this
  /// replica during which no other one led. Empty before it leads.
  [[nodiscard]] const std::string& term() const noexcept { return term_; }
  /// Who holds the lease, as far as it is known; empty for nobody.
  [[nodiscard]] const std::string& holder() const noexcept { return seen_.holder; }
  /// Why the last request failed; nothing if it did not.
  [[nodiscard]] const std::optional<error>& trouble() const noexcept { return trouble_; }

 private:
  enum class asked : std::uint8_t { nothing, get, create, update };

  [[nodiscard]] request look();
  [[nodiscard]] request claim(wall_time wall);
  void saw(lease_record record, boot_time now);
  void won(lease_record record, boot_time now);
  void lose() noexcept;
  [[nodiscard]] bool may_take(boot_time now) const noexcept;
  [[nodiscard]] bool was_ours() const noexcept;

  election_rules rules_;
  standing standing_ = standing::waiting;
  std::string term_;
  boot_time held_until_ = boot_time::min();

  /// The object as it was seen last, and when it was first seen so; no object if `known_` is false.
  lease_record seen_;
  boot_time seen_at_{};
  bool known_ = false;
  bool absent_ = false;  ///< The server said that there is none.
  bool stale_ = true;    ///< It has to be read before it is changed.

  asked asked_ = asked::nothing;
  boot_time sent_at_{};
  boot_time due_{};
  unsigned hurries_ = 0;
  std::optional<error> trouble_;
};

}  // namespace argosy::kube
