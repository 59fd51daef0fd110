// SPDX-License-Identifier: Apache-2.0
// Values by key, of which only the most recently used ones are kept.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>

namespace argosy::scheduling::engine {

template <class Value>
class recently_used {
 public:
  /// Keeps at most so many values, but always the one that was asked for last.
  explicit recently_used(std::size_t most) : most_(std::max<std::size_t>(1, most)) {}

  /// The value of a key; a new one if it was never asked for, or was forgotten since. It stays
  /// where it is until the next call.
  [[nodiscard]] Value& of(std::uint64_t key) {
    const auto found = places_.find(key);
    if (found != places_.end()) {
      values_.splice(values_.begin(), values_, found->second);
      return values_.front().second;
    }
    if (values_.size() == most_) {
      places_.erase(values_.back().first);
      values_.pop_back();
    }
    values_.emplace_front(key, Value{});
    places_.emplace(key, values_.begin());
    return values_.front().second;
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  using entries = std::list<std::pair<std::uint64_t, Value>>;

  std::size_t most_;
  entries values_;  ///< The one that was asked for last comes first.
  absl::flat_hash_map<std::uint64_t, typename entries::iterator> places_;
};

}  // namespace argosy::scheduling::engine
