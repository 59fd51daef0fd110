// SPDX-License-Identifier: Apache-2.0
// What is remembered of secrets for a time, under names that tell nothing outside of this process:
// a keyed hash, whose key is drawn for the process. Not safe for several threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace argosy::access {

template <class Value>
class remembered {
 public:
  using moment = std::chrono::steady_clock::time_point;

  explicit remembered(std::size_t most) : most_(most) {}

  /// Null if it is not there, or its time is over. Good until the next put().
  [[nodiscard]] const Value* find(const std::string& key, moment now) const {
    const auto found = items_.find(key);
    return found == items_.end() || found->second.until <= now ? nullptr : &found->second.value;
  }
  /// When there are as many as may be, those whose time is over go first, and then all.
  void put(const std::string& key, Value value, moment until, moment now) {
    if (items_.size() >= most_)
      std::erase_if(items_, [&](const auto& one) { return one.second.until <= now; });
    if (items_.size() >= most_) items_.clear();
    items_.insert_or_assign(key, item{std::move(value), until});
  }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

 private:
  struct item {
    Value value;
    moment until;
  };

  std::size_t most_;
  std::map<std::string, item> items_;
};

class secret_key {
 public:
  /// Draws a key.
  secret_key();
  /// The same for the same text, and of no use outside of this process.
  [[nodiscard]] std::string name_of(std::string_view secret) const;

 private:
  std::string key_;
};

}  // namespace argosy::access
