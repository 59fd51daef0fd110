// SPDX-License-Identifier: Apache-2.0
// A board_entry is what a CLUSTER writes on the board of contacts about itself. The CLUSTER owns it
// and uses it on its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "messages/native/contact_board.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::actors {

class board_entry {
 public:
  /// `core` and `clock` outlive the entry.
  board_entry(const ledger::cluster_core& core, std::shared_ptr<native::contact_board> board,
              const clock_source& clock)
      : core_(&core), board_(std::move(board)), clock_(&clock) {}

  /// An agent of the present incarnation was heard just now.
  void heard() {
    heard_ns_ = to_nanos(clock_->wall());
    tell();
  }
  /// A cluster that was forgotten, or has never joined, has no entry, so that no list, description
  /// or metric has it.
  void tell() const {
    if (core_->is_forgotten() || core_->info().incarnation.is_zero())
      board_->erase(core_->name());
    else
      board_->put(core_->name(), contact());
  }
  [[nodiscard]] native::cluster_status status() const {
    auto out = native::status_of(core_->info(), contact());
    if (const auto* cordon = core_->all_cordons().find({})) out.cordon = ledger::to_text(*cordon);
    out.drain = core_->drain_for({});
    out.agent_version = core_->agent_version();
    out.told_at = clock_->boot();
    return out;
  }

 private:
  [[nodiscard]] native::cluster_contact contact() const {
    return native::contact_of(*core_, heard_ns_);
  }

  const ledger::cluster_core* core_;
  std::shared_ptr<native::contact_board> board_;
  const clock_source* clock_;
  std::int64_t heard_ns_ = 0;  ///< Unix time; 0: nobody was heard since this process leads.
};

}  // namespace argosy::actors
