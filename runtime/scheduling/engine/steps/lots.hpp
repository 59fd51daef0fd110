// SPDX-License-Identifier: Apache-2.0
// Slices and lottery: what is free is cut into a slice for each queue that has queued jobs, queues
// fill their slices, and what is left is drawn for with the round's seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/contest.hpp"
#include "runtime/scheduling/engine/steps/starter.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::scheduling::engine {

class lots {
 public:
  lots(const tables& t, const config& conf, const books& sums, contest& streams, starter& turns);

  /// Gives all queues their turns. Returns after how many lots no more were drawn for new jobs; 0
  /// if nothing ended them. One is drawn in any case.
  std::uint64_t draw(const round_params& params);

 private:
  struct slice {
    double share = 0;                ///< The queue's part of what is free.
    double worth = 0;                ///< The cost of what is left, once lots are drawn.
    std::vector<std::int64_t> left;  ///< The amounts of the slice that are left.
    std::vector<gang> deferred;      ///< Gangs that did not fit their slice.
    std::size_t next = 0;            ///< The first of `deferred` that was not drawn yet.
    std::uint32_t misses = 0;        ///< Gangs that were tried for the slice and not placed.
  };
  void cut_slices();
  /// Queues take turns until none of them places a gang in its slice any more.
  void fill_slices();
  /// Goes down the queue's list until a gang is placed, and returns false if none was. Gangs that
  /// were tried in vain stay in the queue's window of config::slice_batch gangs, and end its turns
  /// once they fill it.
  [[nodiscard]] bool take_turn(std::uint32_t queue);
  [[nodiscard]] reason try_gang(gang& g, std::uint32_t queue);
  /// Takes the queue, or all queues, out of the lots if the outcome ended its turns, or the round.
  void end_lots(std::uint32_t queue, reason outcome);
  /// Draws the queue whose gang is next, with chances that add up to `sum`.
  [[nodiscard]] std::uint32_t winner_of(std::uint64_t& state, double sum) const;
  /// Refuses the deferred gangs that are new; evicted ones stay in the lots.
  void give_up(slice& own, reason why);
  /// Computes each queue's chance in the next draw and returns the sum.
  [[nodiscard]] double weigh();
  /// The number that a queue's slice is proportional to, as is its chance once all slices are used
  /// up.
  [[nodiscard]] double part_of(std::uint32_t queue) const;

  const tables& t_;
  const config& conf_;
  const books& books_;
  contest& streams_;
  starter& turns_;
  std::vector<slice> slices_;  ///< By queue.
  std::vector<double> chances_;
  bool ended_ = false;  ///< Only evicted gangs are left in the lots.
};

}  // namespace argosy::scheduling::engine
