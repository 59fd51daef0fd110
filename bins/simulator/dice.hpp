// SPDX-License-Identifier: Apache-2.0
// Dice are a source of numbers that are the same on every machine. Each concern of a simulation has
// its own, so that one that draws more leaves the others as they were.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace argosy::sim {

class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}

  /// Splitmix64 (Steele, Lea and Flood, 2014).
  std::uint64_t next() noexcept {
    auto z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From 0 to limit - 1; 0 for a limit of 0.
  std::uint64_t below(std::uint64_t limit) noexcept { return limit == 0 ? 0 : next() % limit; }
  /// Whether one of so many chances came true.
  bool one_in(std::uint64_t chances) noexcept { return below(chances) == 0; }
  /// From 0 to below 1.
  double part() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// A time of the exponential distribution. It is at most twenty times the mean.
  std::chrono::nanoseconds around(std::chrono::nanoseconds mean) noexcept {
    const auto times = std::min(20.0, -std::log(1.0 - part()));
    return std::chrono::nanoseconds{
        static_cast<std::int64_t>(times * static_cast<double>(mean.count()))};
  }
  std::chrono::nanoseconds below(std::chrono::nanoseconds limit) noexcept {
    return std::chrono::nanoseconds{
        static_cast<std::int64_t>(below(static_cast<std::uint64_t>(limit.count())))};
  }

 private:
  std::uint64_t state_;
};

}  // namespace argosy::sim
