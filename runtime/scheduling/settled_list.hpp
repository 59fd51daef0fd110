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
#include <utility>
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
  void one_died(const Entry& entry) { dead_.push_back(entry); }

  /// Removes the dead entries and puts the new ones into their places. `before(a, b)` is a strict
  /// order, also of entries that died since the last call. The cost is that of finding the place of
  /// each, and of moving what comes after the first new one, and what comes before the last dead
  /// one or after the first, whichever is less.
  template <class Before>
  void settle(Before before) {
    if (!dead_.empty()) remove_dead(before);
    merge_new(before);
  }

 private:
  [[nodiscard]] iterator at(std::size_t i) {
    return entries_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  /// Takes a dead entry's place out of the candidates and gives it; the end if it is not there.
  [[nodiscard]] iterator take_place(std::vector<iterator>& candidates, const Entry& dead) {
    const auto found = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const iterator& place) { return *place == dead; });
    if (found == candidates.end()) return entries_.end();
    const auto place = *found;
    candidates.erase(found);
    return place;
  }

  /// The places of the dead entries, ascending. Sorts the new entries if one of them died.
  template <class Before>
  [[nodiscard]] std::vector<iterator> dead_places(Before before) {
    std::vector<iterator> places;
    std::vector<iterator> candidates;
    const auto add_equal = [&](iterator first, iterator last, const Entry& to) {
      for (auto at = std::lower_bound(first, last, to, before); at != last && !before(to, *at);
           ++at)
        candidates.push_back(at);
    };
    bool new_are_sorted = false;
    bool looked_at_new = false;
    std::sort(dead_.begin(), dead_.end(), before);
    for (std::size_t i = 0; i < dead_.size(); ++i) {
      const auto& dead = dead_[i];
      // An entry may have come again, also as another one of the same rank, and died again.
      if (i == 0 || before(dead_[i - 1], dead)) {
        candidates.clear();
        looked_at_new = false;
        add_equal(begin(), at(sorted_), dead);
      }
      auto place = take_place(candidates, dead);
      if (place == entries_.end() && !looked_at_new) {
        if (!std::exchange(new_are_sorted, true)) std::sort(at(sorted_), entries_.end(), before);
        add_equal(at(sorted_), entries_.end(), dead);
        looked_at_new = true;
        place = take_place(candidates, dead);
      }
      ARGOSY_CHECK(place != entries_.end());
      places.push_back(place);
    }
    std::sort(places.begin(), places.end());
    return places;
  }

  template <class Before>
  void remove_dead(Before before) {
    const auto places = dead_places(before);
    const auto sorted_dead = std::lower_bound(places.begin(), places.end(), at(sorted_));
    const auto sorted_alive =
        sorted_ - head_ - static_cast<std::size_t>(sorted_dead - places.begin());
    if (places.back() - begin() < entries_.end() - places.front())
      close_towards_end(places);
    else
      close_towards_front(places);
    sorted_ = head_ + sorted_alive;
    dead_.clear();
    if (head_ <= entries_.size() / 2) return;
    entries_.erase(entries_.begin(), at(head_));
    sorted_ -= head_;
    head_ = 0;
  }

  void close_towards_end(const std::vector<iterator>& places) {
    auto out = places.back() + 1;
    for (auto i = places.size(); i-- > 0;) {
      const auto first = i == 0 ? begin() : places[i - 1] + 1;
      out = std::move_backward(first, places[i], out);
    }
    head_ = static_cast<std::size_t>(out - entries_.begin());
  }

  void close_towards_front(const std::vector<iterator>& places) {
    auto out = places.front();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto last = i + 1 == places.size() ? entries_.end() : places[i + 1];
      out = std::move(places[i] + 1, last, out);
    }
    entries_.erase(out, entries_.end());
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
  std::size_t head_ = 0;     ///< Those before it have been removed.
  std::size_t sorted_ = 0;   ///< The end of those that were there when settle() was last called.
  std::vector<Entry> dead_;  ///< Those that have died since then.
};

}  // namespace argosy::scheduling
