// SPDX-License-Identifier: Apache-2.0
// A list in an order, of which entries die and to which entries are added, a batch at a time.
//
// A queue may have a million jobs, of which a cycle changes some thousand: those in front, which
// start or are cancelled, and those at the end, which are new. Work therefore goes with what has
// changed, and not with the length of the list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "runtime/base/check.hpp"

namespace argosy::scheduling {

/// The owner says add() for each new entry and one_died() for each entry that is no longer alive,
/// and then settle(). In between the list has dead entries, and its newest are not in order.
template <class Entry>
class settled_list {
 public:
  using iterator = typename std::vector<Entry>::iterator;
  using const_iterator = typename std::vector<Entry>::const_iterator;

  [[nodiscard]] iterator begin() noexcept { return at(head_); }
  [[nodiscard]] iterator end() noexcept { return entries_.end(); }
  [[nodiscard]] const_iterator begin() const noexcept {
    return entries_.begin() + static_cast<std::ptrdiff_t>(head_);
  }
  [[nodiscard]] const_iterator end() const noexcept { return entries_.end(); }
  [[nodiscard]] const Entry* data() const noexcept { return entries_.data() + head_; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size() - head_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const Entry& operator[](std::size_t i) const { return entries_[head_ + i]; }
  [[nodiscard]] std::size_t bytes() const noexcept { return entries_.capacity() * sizeof(Entry); }

  void add(const Entry& entry) { entries_.push_back(entry); }
  void one_died() { ++dead_; }

  /// Removes the dead entries and puts the new ones into their places. `alive(entry)` is false for
  /// as many entries as have died; `before(a, b)` is a strict order of those that are alive.
  /// The cost is that of walking to the last dead entry, of finding a place for each new one, and
  /// of moving what comes after the first of these places.
  template <class Alive, class Before>
  void settle(Alive alive, Before before) {
    remove_dead(alive);
    merge_new(before);
  }

 private:
  [[nodiscard]] iterator at(std::size_t i) {
    return entries_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  /// Closes the gaps from the front, so that what comes after the last dead entry stays in place.
  template <class Alive>
  void remove_dead(Alive alive) {
    std::size_t sorted_alive = 0;
    auto last = head_;
    for (auto left = dead_; left > 0; ++last) {
      ARGOSY_CHECK(last < entries_.size());
      if (!alive(entries_[last]))
        --left;
      else if (last < sorted_)
        ++sorted_alive;
    }
    const auto first =
        std::remove_if(std::make_reverse_iterator(at(last)), std::make_reverse_iterator(at(head_)),
                       [&](const Entry& entry) { return !alive(entry); });
    head_ = static_cast<std::size_t>(first.base() - entries_.begin());
    if (last > sorted_) sorted_ = head_ + sorted_alive;
    dead_ = 0;
    if (head_ <= entries_.size() / 2) return;
    entries_.erase(entries_.begin(), at(head_));
    sorted_ -= head_;
    head_ = 0;
  }

  /// Works from the end, so that each entry moves once.
  template <class Before>
  void merge_new(Before before) {
    const auto split = at(sorted_);
    if (!std::is_sorted(split, entries_.end(), before)) std::sort(split, entries_.end(), before);
    sorted_ = entries_.size();
    if (split == begin() || split == entries_.end() || !before(*split, *(split - 1))) return;
    std::vector<Entry> added(split, entries_.end());
    auto known = split;
    auto out = entries_.end();
    for (; !added.empty(); added.pop_back()) {
      const auto place = std::upper_bound(begin(), known, added.back(), before);
      out = std::move_backward(place, known, out);
      known = place;
      *--out = added.back();
    }
  }

  std::vector<Entry> entries_;
  std::size_t head_ = 0;    ///< Those before it have been removed.
  std::size_t sorted_ = 0;  ///< The end of those that were there when settle() was last called.
  std::size_t dead_ = 0;    ///< How many have died since then.
};

}  // namespace argosy::scheduling
