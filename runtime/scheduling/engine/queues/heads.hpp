// SPDX-License-Identifier: Apache-2.0
// Which queued gangs have a turn. Jobs like one that fitted nowhere have none, and under
// config::feasible_heads neither have gangs that could not be placed at best.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/scheduling/engine/queues/feasibility.hpp"
#include "runtime/scheduling/engine/queues/misfits.hpp"
#include "runtime/scheduling/engine/refusal_tally.hpp"

namespace argosy::scheduling::engine {

class heads {
 public:
  explicit heads(world& w);

  /// Whether gangs are asked whether they are feasible.
  [[nodiscard]] bool asked() const { return judge_.has_value(); }
  /// Whether the new gang could be placed at best, as things stand. `rank()` gives its turn. Call
  /// this and known_refused() only if gangs are asked.
  template <class Rank>
  [[nodiscard]] bool feasible(const gang& g, Rank&& rank) {
    const auto& first = g.offers.front();
    const bool single = first.gang == none;
    if (single && judge_->has_free_node(first.shape)) return true;
    std::uint32_t cut = 0;
    if (judge_->best().asks_rank()) {
      const auto own = rank();
      if (single && judge_->has_leaver(first.shape, own)) return true;
      cut = judge_->best().cut_of(own);
    }
    return single ? judge_->of_job(first.shape, cut) : judge_->of_gang(g, cut);
  }
  /// Whether a single job of the shape is known not to be feasible, whatever its turn is.
  [[nodiscard]] bool known_refused(std::uint32_t shape) const {
    return judge_->is_refused(shape, 0);
  }

  [[nodiscard]] misfits& known_misfits() { return misfits_; }
  /// Whether an equal job fitted nowhere and the gang cannot start without this member.
  [[nodiscard]] bool is_misfit(std::uint32_t queue, std::uint32_t shape, std::uint32_t job) const;

  /// Notes the outcome of a single job that is not feasible. Returns false if it is like one of its
  /// queue that was noted before, so that it is enough to count it.
  bool refuse(std::uint32_t job, std::uint32_t shape, std::uint32_t queue);
  /// Notes the outcome of the gang that was asked last: a member of it is a misfit, or it is not
  /// feasible.
  void refuse(const gang& g, bool is_feasible);
  [[nodiscard]] const std::vector<refusal>& refusals() const { return refusals_.all(); }

  // In between the evicted jobs are numbered; nobody is refused then.
  void begin_numbering(bool any_evicted);
  void end_numbering();
  /// Call this for each turn of the numbering, see best_room::note_turn().
  std::uint32_t note_turn(const turn_rank& rank) {
    return judge_ ? judge_->best().note_turn(rank) : 0;
  }

 private:
  const node_columns& nodes_;
  bool numbering_ = false;
  std::optional<feasibility> judge_;  ///< Empty if gangs are not asked.
  misfits misfits_;
  refusal_tally refusals_;
  std::vector<std::uint32_t> shown_to_;  ///< By shape, the first queue that has a refusal of it.
  absl::flat_hash_set<std::uint64_t> shown_;  ///< The other queues and shapes that have one.
};

}  // namespace argosy::scheduling::engine
