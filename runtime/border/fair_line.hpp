// SPDX-License-Identifier: Apache-2.0
// A line of those who wait for the same worker, in which blocks of addresses are served in turn.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/border/address_block.hpp"
#include "runtime/border/fair_queue_core.hpp"

namespace argosy::border {

template <class T>
class fair_line {
 public:
  explicit fair_line(std::size_t at_most) : at_most_(at_most) {}

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

  /// Takes `what` into the line, and returns who has to leave it for that, if the line is full. It
  /// is `what` itself if no block has more there than this one would have; otherwise it is the last
  /// of the block with the most.
  [[nodiscard]] std::optional<T> add(const address_block& block, T what) {
    std::optional<T> gone;
    if (waiting_.size() >= at_most_) {
      gone = waiting_.shorten(waiting_.size_of(block) + 1);
      if (!gone) return what;
    }
    waiting_.push(block, std::move(what));
    return gone;
  }

  /// Takes out the next to be served. The line must not be empty.
  [[nodiscard]] T take() { return waiting_.pop(); }

 private:
  const std::size_t at_most_;
  fair_queue_core<T, address_block> waiting_;
};

}  // namespace argosy::border
