// SPDX-License-Identifier: Apache-2.0
// Chooses whose frames are dropped while more come than can be looked at. The library has a line
// for each subscription, and when that is full it drops whatever comes next, whoever sends it.
// Before that, those are left out who send most. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace argosy::bus {

class crowd_core {
 public:
  using duration = std::chrono::nanoseconds;
  /// Frames, and the bytes of their headers and data.
  struct amount {
    std::size_t frames = 0;
    std::size_t bytes = 0;

    [[nodiscard]] bool reaches(const amount& bound) const noexcept {
      return frames >= bound.frames || bytes >= bound.bytes;
    }
  };
  /// It is crowded while so much waits.
  static constexpr amount crowded_from{2'048, 16u << 20};
  /// While it is crowded, no more of one sender is taken in a period when it has reached this.
  static constexpr amount taken_of_each{256, 2u << 20};
  static constexpr std::chrono::milliseconds period{100};

  /// Whether the next frame is taken, which is of `sender` and has so many bytes, if that much
  /// waits behind it. `now` is a time of any clock that does not go back.
  [[nodiscard]] bool takes(std::string_view sender, std::size_t bytes, const amount& waiting,
                           duration now) {
    if (!waiting.reaches(crowded_from)) return true;
    if (now - begun_ >= period) {
      begun_ = now;
      taken_.clear();
    }
    auto found = taken_.find(sender);
    if (found == taken_.end()) found = taken_.emplace(std::string{sender}, amount{}).first;
    auto& taken = found->second;
    if (taken.reaches(taken_of_each)) return false;
    ++taken.frames;
    taken.bytes += bytes;
    return true;
  }

 private:
  duration begun_{};
  std::map<std::string, amount, std::less<>> taken_;
};

}  // namespace argosy::bus
