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
  /// It is crowded while so many frames wait.
  static constexpr std::size_t crowded_from = 2'048;
  /// While it is crowded, so many frames of one sender are taken in each period.
  static constexpr std::size_t taken_of_each = 256;
  static constexpr std::chrono::milliseconds period{100};

  /// Whether the next frame is taken, which is of `sender`, if that many wait behind it. `now` is a
  /// time of any clock that does not go back.
  [[nodiscard]] bool takes(std::string_view sender, std::size_t waiting, duration now) {
    if (waiting < crowded_from) return true;
    if (now - begun_ >= period) {
      begun_ = now;
      taken_.clear();
    }
    auto found = taken_.find(sender);
    if (found == taken_.end()) found = taken_.emplace(std::string{sender}, 0).first;
    return ++found->second <= taken_of_each;
  }

 private:
  duration begun_{};
  std::map<std::string, std::size_t, std::less<>> taken_;
};

}  // namespace argosy::bus
