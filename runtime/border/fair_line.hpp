// SPDX-License-Identifier: Apache-2.0
// A line of those who wait for the same worker, in which blocks of addresses are served in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <utility>

#include "runtime/border/address_block.hpp"

namespace argosy::border {

template <class T>
class fair_line {
 public:
  explicit fair_line(std::size_t at_most) : at_most_(at_most) {}

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Takes `what` into the line, and returns who has to leave it for that, if the line is full. It
  /// is `what` itself if no block has more there than this one would have; otherwise it is the last
  /// of the block with the most.
  [[nodiscard]] std::optional<T> add(const address_block& block, T what) {
    auto own = std::ranges::find(blocks_, block, &group::block);
    const auto mine = own == blocks_.end() ? 0 : own->waiting.size();
    std::optional<T> gone;
    if (size_ >= at_most_) {
      const auto longest = std::ranges::max_element(
          blocks_, {}, [](const group& one) { return one.waiting.size(); });
      if (longest == blocks_.end() || longest->waiting.size() <= mine + 1) return what;
      gone = std::move(longest->waiting.back());
      longest->waiting.pop_back();
      --size_;
    }
    if (own == blocks_.end()) own = blocks_.insert(own, group{block, {}});
    own->waiting.push_back(std::move(what));
    ++size_;
    return gone;
  }

  /// Takes out the next to be served. The line must not be empty.
  [[nodiscard]] T take() {
    auto& first = blocks_.front().waiting;
    auto out = std::move(first.front());
    first.pop_front();
    --size_;
    if (first.empty())
      blocks_.pop_front();
    else
      blocks_.splice(blocks_.end(), blocks_, blocks_.begin());
    return out;
  }

 private:
  struct group {
    address_block block;
    std::deque<T> waiting;  ///< It is never empty between calls.
  };

  const std::size_t at_most_;
  std::size_t size_ = 0;
  std::list<group> blocks_;  ///< In the order in which they are served next.
};

}  // namespace argosy::border
