// SPDX-License-Identifier: Apache-2.0
// This file declares what queues hold at this moment: their bound jobs, and their evicted ones that
// have not lost their place. From these and the queues' weights it follows which queue has to give
// way for balance. Queue numbers are those of `books`.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"

namespace argosy::scheduling::engine {

class holdings {
 public:
  /// Begins with what each queue used before the round; without this call nothing is counted.
  /// `rivals` are the queues that give up jobs: share() and by_share() know these alone.
  void open(const books& sums, const tables& t, std::vector<std::uint32_t> rivals);

  [[nodiscard]] bool is_open() const { return books_ != nullptr; }

  /// A job of the queue starts to hold room (`sign` +1) or loses it (-1). For the queue `none`
  /// nothing happens.
  void count(std::uint32_t queue, std::uint32_t shape, std::int64_t sign);
  /// Begins a transaction: undo() takes back what is counted from now on.
  void begin() { journal_.clear(); }
  void undo();

  [[nodiscard]] const std::int64_t* amounts(std::uint32_t queue) const {
    return amounts_.data() + std::size_t{queue} * dims_;
  }
  /// What a rival holds, as a cost divided by its weight.
  [[nodiscard]] double share(std::uint32_t queue) {
    if (!changed_.empty()) settle();
    return shares_[queue];
  }
  [[nodiscard]] std::uint32_t rivals() const { return static_cast<std::uint32_t>(order_.size()); }
  /// A rival's number, from 0 on, which does not change with its share.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t queue) const { return numbers_[queue]; }
  /// The rivals, the one with the largest share first.
  [[nodiscard]] const std::vector<std::uint32_t>& by_share() {
    if (!changed_.empty()) settle();
    return order_;
  }

 private:
  struct change {
    std::uint32_t queue;
    std::uint32_t shape;
    std::int64_t sign;
  };
  void add(std::uint32_t queue, std::uint32_t shape, std::int64_t sign);
  /// Computes shares anew and moves rivals to their places.
  void settle();

  const books* books_ = nullptr;
  const tables* t_ = nullptr;
  std::uint32_t dims_ = 0;
  std::vector<std::int64_t> amounts_;
  std::vector<double> shares_;
  std::vector<std::uint8_t> stale_;     ///< For each queue, whether it is in `changed_`.
  std::vector<std::uint32_t> changed_;  ///< The rivals that changed since the last settle().
  std::vector<std::uint32_t> order_;    ///< The rivals, by share.
  std::vector<std::uint32_t> numbers_;  ///< The number of each queue that is a rival.
  std::vector<std::uint32_t> place_;    ///< The place of each queue in `order_`, or `none`.
  std::vector<change> journal_;
};

}  // namespace argosy::scheduling::engine
