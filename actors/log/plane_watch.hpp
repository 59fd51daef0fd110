// SPDX-License-Identifier: Apache-2.0
// The plane_watch keeps for a JOURNAL how far each plane has come that waits for the lead, whether
// one is to be named, and for how long a batch has waited for them.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "messages/native/journal.hpp"
#include "messages/probes/log/plane_probe.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/plane_quorum.hpp"

namespace argosy::actors {

class plane_watch {
 public:
  explicit plane_watch(const clock_source& clock) : clock_(&clock), begun_(clock.boot()) {}

  void hear(const native::plane_word& word);
  /// Returns the planes that were heard of late and whose stores end with this record.
  [[nodiscard]] ledger::plane_set ready(const model::record_name& last) const;
  /// Returns the planes whose stores will end there soon.
  [[nodiscard]] ledger::plane_set nearly_ready(const model::record_name& last) const;
  /// Returns what is known of these planes, of which the one with the id `own` is here. Whoever has
  /// just begun to listen knows of none that is silent.
  [[nodiscard]] probes::plane_facts facts(const ledger::plane_set& named,
                                          const std::string& own) const;
  /// An operator says that this plane is gone for good, so that another one takes its place. Fails
  /// with ec::not_found if it is not named, and with ec::conflict if it is heard or
  /// nobody could take its place.
  result<void> forget(const std::string& id, const ledger::plane_set& named,
                      const std::string& own);
  /// The plane that was forgotten and was not heard since; empty: none.
  [[nodiscard]] std::string forgotten() const;
  /// Says which plane will never confirm a batch of this epoch; empty: each may.
  [[nodiscard]] std::string bound_above(model::epoch epoch) const;

  /// No batch is to begin for a moment, so that a new plane can get everything. Returns for how
  /// long; 0: that was so just now.
  std::chrono::milliseconds hold();
  void let_go() { holds_until_ = {}; }
  [[nodiscard]] bool holds() const { return clock_->boot() < holds_until_; }

  /// Notes whether a batch waits for other planes. Returns whether it has for so long that callers
  /// have to be told.
  bool note_waiting(bool waits);
  /// Whether it is time to find out if it waits in vain.
  [[nodiscard]] bool is_look_due();

 private:
  template <class Test>
  [[nodiscard]] ledger::plane_set those(Test test) const;

  const clock_source* clock_;
  boot_time begun_;
  /// The last word of each plane, by its id, and when it was said.
  std::map<std::string, std::pair<native::plane_word, boot_time>> heard_;
  boot_time holds_until_{};
  boot_time holds_next_{};   ///< It does not hold again before.
  boot_time waits_since_{};  ///< 0: no batch waits for other planes.
  boot_time looks_at_{};
  std::string forgotten_;  ///< See forget().
};

}  // namespace argosy::actors
