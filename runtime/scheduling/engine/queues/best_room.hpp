// SPDX-License-Identifier: Apache-2.0
// What a node has for a job at best: with everything that urgency and balance may take for it.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/bindings.hpp"
#include "runtime/scheduling/engine/nodes/returning_table.hpp"
#include "runtime/scheduling/engine/nodes/room.hpp"
#include "runtime/scheduling/engine/queues/turns.hpp"

namespace argosy::scheduling::engine {

class best_room {
 public:
  best_room(const node_columns& nodes, const room& free, const bindings& bound,
            const returning_table& returning);

  /// What the node has for a job of the priority; valid until the next call. Jobs count as gone
  /// that urgency may take for it, and evicted ones with a key from `cut` on. Limits, budgets and
  /// gangs are not asked, so that it is never less than what placing finds.
  [[nodiscard]] const std::int64_t* at(std::uint32_t node, std::int32_t priority,
                                       std::uint32_t cut);
  /// Whether the node has room for the job once the one at that place of the table has left, which
  /// is still there.
  [[nodiscard]] bool after(const table_entry& leaver, const std::int64_t* need) const;
  [[nodiscard]] bool urgency_takes() const { return urgent_; }
  /// Whether evicted jobs may leave.
  [[nodiscard]] bool at_stake() const { return evicted_ && (numbering_ || table_.end() > 0); }

  // A job's key is the latest rank that had a turn up to its own when the evicted were numbered.
  // Whoever has a later turn than a gang may leave for it; while they are numbered, and where lots
  // are drawn, all of them may.
  void begin_numbering(bool any_evicted);
  void end_numbering() { numbering_ = false; }
  /// Notes a turn of the numbering and returns the number of its key.
  std::uint32_t note_turn(const turn_rank& rank);
  /// Whether it matters when the gang has its turn.
  [[nodiscard]] bool asks_rank() const { return at_stake() && !numbering_ && !all_taken_; }
  /// Whether a job with the key may leave for a gang with this turn.
  [[nodiscard]] bool may_leave(std::uint32_t key, const turn_rank& own) const {
    return !(keys_[key] < own);
  }
  /// The first key whose jobs may leave for a gang with this turn.
  [[nodiscard]] std::uint32_t cut_of(const turn_rank& own) const;

 private:
  const node_columns& nodes_;
  const room& room_;
  const bindings& bound_;
  const returning_table& table_;
  bool urgent_;     ///< Urgency may take the room of lower jobs.
  bool all_taken_;  ///< Turns are drawn, so that nobody is sure to come before the gang.
  bool evicted_ = false;
  bool numbering_ = false;
  std::vector<turn_rank> keys_;  ///< The different keys, ascending.
  std::vector<std::int64_t> sum_;
};

}  // namespace argosy::scheduling::engine
