// SPDX-License-Identifier: Apache-2.0
// A queue in which callers take turns, and each caller's items keep their order: whoever asks much
// waits for himself and not for others. Pure; one thread uses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace argosy::border {

template <class Item, class Caller = std::string>
class fair_queue_core {
 public:
  [[nodiscard]] bool empty() const noexcept { return turns_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// How many items of the caller wait.
  [[nodiscard]] std::size_t size_of(const Caller& caller) const {
    const auto own = items_.find(caller);
    return own == items_.end() ? 0 : own->second.size();
  }

  void push(const Caller& caller, Item item) {
    auto& own = items_[caller];
    if (own.empty()) turns_.push_back(caller);
    own.push_back(std::move(item));
    ++size_;
  }

  /// Takes the first item of the caller whose turn it is, who then is the last one. The queue must
  /// not be empty.
  [[nodiscard]] Item pop() {
    auto caller = std::move(turns_.front());
    turns_.pop_front();
    const auto own = items_.find(caller);
    auto out = std::move(own->second.front());
    own->second.pop_front();
    if (own->second.empty())
      items_.erase(own);
    else
      turns_.push_back(std::move(caller));
    --size_;
    return out;
  }

  /// Takes out the last item of the caller with the most, or of those who have as many the one
  /// whose turn is the first. Nothing if he has no more than `kept`, which is at least 1.
  [[nodiscard]] std::optional<Item> shorten(std::size_t kept) {
    const auto longest = std::ranges::max_element(
        turns_, {}, [this](const Caller& caller) { return size_of(caller); });
    if (longest == turns_.end() || size_of(*longest) <= kept) return std::nullopt;
    auto& all = items_.at(*longest);
    std::optional out{std::move(all.back())};
    all.pop_back();
    --size_;
    return out;
  }

 private:
  std::map<Caller, std::deque<Item>> items_;  ///< None of them is empty.
  std::deque<Caller> turns_;                  ///< The callers who have items, each once.
  std::size_t size_ = 0;
};

}  // namespace argosy::border
