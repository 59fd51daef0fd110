// SPDX-License-Identifier: Apache-2.0
// The trial of a gang: its members are bound and others pushed out for them, and either all of it
// holds or none of it. What queues hold follows. A round has one trial at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/newcomers.hpp"
#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"
#include "runtime/scheduling/engine/queues/holdings.hpp"
#include "runtime/scheduling/engine/steps/decisions.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class trial {
 public:
  trial(world& w, books& sums);

  /// What queues hold; open once a job may leave for balance.
  [[nodiscard]] holdings& held() { return held_; }
  [[nodiscard]] const holdings& held() const { return held_; }
  /// The same from the begin of the round on; open if a queue has a limit of all classes.
  [[nodiscard]] holdings& totals() { return totals_; }
  [[nodiscard]] const holdings& totals() const { return totals_; }
  /// The jobs that were bound in the round, if somebody reads them.
  [[nodiscard]] newcomers& bound_new() { return newcomers_; }
  [[nodiscard]] const newcomers& bound_new() const { return newcomers_; }

  void begin();
  void undo();
  void commit();
  /// The trial holds. Notes who lost a place, and whose queue has less than at its last turn.
  void settle(decisions& noted, preemption_budget& budget);
  /// Gives the queues that lost jobs since the last call.
  void take_lightened(std::vector<std::uint32_t>& into);

  /// Binds a member: an evicted job at home, a new one on the node.
  void bind(const offer& o, std::uint32_t node);
  /// A job loses its place to another one, if it still has one.
  void push_out(std::uint32_t job, std::uint32_t preemptor, preemption_cause cause);
  /// The same with its gang mates, evicted ones and those that are bound.
  void push_out_gang(std::uint32_t job, std::uint32_t preemptor);
  /// The evicted gang mates of a job that left for balance leave with it.
  void drop_mates(std::uint32_t job, std::uint32_t preemptor);
  /// How many jobs this trial pushes out for balance.
  [[nodiscard]] std::size_t pushed_for_balance() const;

  /// Outside of a trial an evicted job gives up its place, for which there is no room.
  void give_up(std::uint32_t job, std::uint32_t shape);

 private:
  struct pushed_job {
    std::uint32_t job;
    std::uint32_t preemptor;
    preemption_cause cause;
    bool was_bound = false;
  };
  [[nodiscard]] std::uint32_t shape_of(std::uint32_t job) const { return t_.jobs[job].shape; }
  /// A job starts to hold room (+1) or loses it (-1).
  void count(std::uint32_t job, std::uint32_t shape, std::int64_t sign) {
    if (held_.is_open()) held_.count(books_.of(job), shape, sign);
    if (totals_.is_open()) totals_.count(books_.of(job), shape, sign);
  }

  const tables& t_;
  world& world_;
  books& books_;
  holdings held_;
  holdings totals_;
  newcomers newcomers_;
  std::vector<pushed_job> pushed_;
  std::vector<std::uint32_t> lightened_;
};

}  // namespace argosy::scheduling::engine
