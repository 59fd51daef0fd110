// SPDX-License-Identifier: Apache-2.0
// Which jobs of one node leave for a more urgent job. The weakest claim leaves first, and gangs
// leave as a whole.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/steps/node_order.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/steps/returning_order.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class victim_picker {
 public:
  victim_picker(const world& w, const books& sums, const trial& under_way,
                const preemption_budget& budget);

  void open(const returning_order& evicted) { evicted_ = &evicted; }
  /// What the node would cost the job. The victims are in victims() until the next call.
  [[nodiscard]] victim_choice pick(const offer& o, std::uint32_t node);
  [[nodiscard]] const std::vector<std::uint32_t>& victims() const { return victims_; }
  /// The highest cost by weight of a queue before the round.
  [[nodiscard]] double richest_share() const { return richest_; }

  // What pick() left of its candidates can be used for the next job at this priority as long as
  // only that choice has changed nodes.
  void take(std::uint32_t job) { rest_.after = job; }
  void placed(std::uint32_t job) {
    if (rest_.after == job) rest_.position = world_.free.now();
  }

 private:
  struct candidate {
    std::int32_t at;
    bool is_bound;
    double share;
    std::int64_t created;
    std::uint32_t job;
  };
  struct candidates_left {
    std::uint32_t node = none;
    std::int32_t priority = 0;
    std::uint32_t after = none;  ///< The job that got this node.
    /// The position of the last change, once that job is bound. Until then nothing can go on.
    std::uint64_t position = std::numeric_limits<std::uint64_t>::max();
  };
  [[nodiscard]] bool more_entitled(const candidate& a, const candidate& b) const;
  /// Puts the jobs of a node that may leave into candidates_. Returns whether gangs matter for
  /// that.
  [[nodiscard]] bool gather(const offer& o, std::uint32_t node);
  [[nodiscard]] bool gang_may_leave(std::uint32_t job, std::int32_t below) const;
  /// Whether it is evicted and in the table.
  [[nodiscard]] bool is_held(std::uint32_t job) const {
    return world_.bound.holds_room(job) && world_.table.place_of(job) != none;
  }
  [[nodiscard]] double share_of(std::uint32_t queue) const {
    return queue == none ? 0 : shares_[queue];
  }
  /// Visits the jobs that lose their places for urgency with this one, itself included.
  template <class Visit>
  void for_fallen(std::uint32_t job, Visit&& visit) const {
    const auto gang = t_.jobs[job].gang;
    if (gang == none) return visit(job);
    for (const auto mate : t_.gangs[gang].members)
      if (world_.bound.is_bound(mate) || is_held(mate)) visit(mate);
  }

  const world& world_;
  const tables& t_;
  const books& books_;
  const trial& trial_;
  const preemption_budget& budget_;
  const returning_order* evicted_ = nullptr;
  std::vector<double> shares_;  ///< The cost by weight of each queue before the round.
  double richest_ = 0;
  std::vector<std::uint32_t> victims_;
  std::vector<candidate> candidates_;  ///< A heap with the weakest claim in front.
  candidates_left rest_;
  std::vector<std::int64_t> room_;  ///< Scratch memory.
};

}  // namespace argosy::scheduling::engine
