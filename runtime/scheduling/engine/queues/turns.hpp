// SPDX-License-Identifier: Apache-2.0
// The queues that have a gang to offer, in the order of their turns. Queues come, go and change
// their rank one by one, each in steps that grow with the logarithm of their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling::engine {

/// What decides when a queue has its turn.
struct turn_rank {
  std::int32_t priority = 0;
  std::int32_t over = 0;
  double cost = 0;
  double size = 0;
  std::uint32_t queue = 0;
  bool away = false;    ///< The queue's stream has guests, who come after all others.
  bool starts = false;  ///< The gang does not run yet. What runs stays if nobody has less.

  friend bool operator<(const turn_rank& a, const turn_rank& b) {
    if (a.away != b.away) return b.away;
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.over != b.over) return a.over < b.over;
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.size != b.size) return a.size < b.size;
    if (a.starts != b.starts) return b.starts;
    return a.queue < b.queue;
  }
};

/// A heap of ranks that knows where each queue stands in it.
class turns {
 public:
  /// Queues are numbered from 0 up to `queues`.
  explicit turns(std::size_t queues) : places_(queues, none) {}

  /// Begins anew with these ranks, each of another queue.
  void assign(std::vector<turn_rank> ranks);
  /// Gives a queue its rank, whether it had one before or not.
  void put(const turn_rank& rank);
  /// Takes a queue out; one that is not there is left alone.
  void remove(std::uint32_t queue);

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] bool contains(std::uint32_t queue) const { return places_[queue] != none; }
  /// The rank of the queue whose turn it is.
  [[nodiscard]] const turn_rank& first() const { return heap_.front(); }
  /// A queue by its place in the heap. That at place i has its turn before those at 2i + 1 and at
  /// 2i + 2.
  [[nodiscard]] std::uint32_t at(std::size_t place) const { return heap_[place].queue; }

 private:
  void set(std::size_t place, const turn_rank& rank) {
    heap_[place] = rank;
    places_[rank.queue] = static_cast<std::uint32_t>(place);
  }
  void sink(std::size_t place, const turn_rank& rank);
  void rise(std::size_t place, const turn_rank& rank);
  /// Puts a rank at this place or, if it does not belong there, further up or down.
  void settle(std::size_t place, const turn_rank& rank);

  std::vector<turn_rank> heap_;
  std::vector<std::uint32_t> places_;  ///< The place of each queue in the heap, or `none`.
};

}  // namespace argosy::scheduling::engine
