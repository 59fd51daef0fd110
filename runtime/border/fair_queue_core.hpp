// SPDX-License-Identifier: Apache-2.0
// A queue in which callers take turns, and each caller's items keep their order: whoever asks much
// waits for himself and not for others. Pure; one thread uses it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace argosy::border {

template <class Item>
class fair_queue_core {
 public:
  [[nodiscard]] bool empty() const noexcept { return turns_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void push(const std::string& caller, Item item) {
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

 private:
  std::map<std::string, std::deque<Item>> items_;  ///< None of them is empty.
  std::deque<std::string> turns_;                  ///< The callers who have items, each once.
  std::size_t size_ = 0;
};

}  // namespace argosy::border
