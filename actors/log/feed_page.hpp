// SPDX-License-Identifier: Apache-2.0
// A FEED encodes what it has read once for all watchers that asked for it. These are such a page,
// what of it waits for one watcher, and the pages that were not given to all of theirs yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/native/reader.hpp"

namespace argosy::actors {

/// How many events are read at a time for so many watchers: each group of them who have no credit
/// keeps a page.
[[nodiscard]] constexpr std::uint32_t page_size(std::uint32_t most, std::size_t watchers) {
  return watchers > 256 ? std::min(most, 50U) : most;
}

using messages_ptr = std::shared_ptr<const std::vector<std::string>>;

struct encoded_page {
  native::event_page_ptr page;
  messages_ptr messages;
  std::vector<std::size_t> begins;  ///< The first message of each event, and the end of all.
};

/// Encodes the events of a page by a function that gives the messages of one.
template <class Encode>
[[nodiscard]] encoded_page encode_page(const native::event_page_ptr& page, const Encode& encode) {
  std::vector<std::string> messages;
  std::vector<std::size_t> begins{0};
  for (const auto& event : page->events) {
    std::ranges::move(encode(event), std::back_inserter(messages));
    begins.push_back(messages.size());
  }
  return {page, std::make_shared<const std::vector<std::string>>(std::move(messages)),
          std::move(begins)};
}

/// Messages that wait for credit of a watcher. He keeps no copy of them.
class unsent_messages {
 public:
  unsent_messages() = default;
  /// Those from `next` on that stand before `end`.
  unsent_messages(messages_ptr all, std::size_t next, std::size_t end)
      : all_(std::move(all)), next_(next), end_(end) {}

  [[nodiscard]] std::size_t size() const noexcept { return end_ - next_; }
  /// There must be one.
  [[nodiscard]] const std::string& front() const { return (*all_)[next_]; }
  void pop() {
    if (++next_ == end_) all_ = nullptr;
  }

 private:
  messages_ptr all_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

class page_deliveries {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  void add(encoded_page page, const std::vector<std::uint64_t>& watchers) {
    all_.push_back({std::move(page), {watchers.begin(), watchers.end()}});
  }

  /// Gives the oldest page to the next watchers. `give` may add pages. There must be one.
  template <class Give>
  void give_some(std::size_t watchers, Give give) {
    auto& [page, to] = all_.front();
    for (std::size_t i = 0; i < watchers && !to.empty(); ++i) {
      const auto id = to.front();
      to.pop_front();
      give(id, page);
    }
    if (to.empty()) all_.pop_front();
  }

 private:
  struct delivery {
    encoded_page page;
    std::deque<std::uint64_t> to;
  };
  std::deque<delivery> all_;
};

}  // namespace argosy::actors
