// SPDX-License-Identifier: Apache-2.0
// Decides whether a caller may take one more of something that all callers share, such as requests
// under way. A caller has at most a share of his own, and never more than what he leaves to others,
// so that whoever has most is refused first. Who has nothing yet finds a reserve when others have
// all. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace argosy::border {

struct share_limits {
  std::uint64_t own = 1;  ///< How many one caller may have.
  /// How many all callers may have together, and half as many again who have only one.
  std::uint64_t all = 2;
  /// The same for the bytes of these. Who comes alone may have more.
  std::uint64_t own_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t all_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// Limits by which a single caller may have `own`, and all together twice as much.
[[nodiscard]] constexpr share_limits twice(std::uint64_t own, std::uint64_t own_bytes) noexcept {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const auto doubled = [](std::uint64_t one) { return one > most / 2 ? most : 2 * one; };
  return {own, doubled(own), own_bytes, doubled(own_bytes)};
}

class share_core {
 public:
  enum class answer : std::uint8_t {
    taken,
    own_share_full,  ///< The caller has as much as one caller may have.
    all_full,        ///< Others have so much that he has to give something back first.
  };

  explicit share_core(const share_limits& limits) noexcept : limits_(limits) {}

  /// Takes a place of this many bytes for the caller, unless that is refused.
  [[nodiscard]] answer take(const std::string& caller, std::uint64_t bytes = 0);
  /// Gives back what was taken, with the same bytes.
  void give_back(const std::string& caller, std::uint64_t bytes = 0);

  [[nodiscard]] std::uint64_t places() const noexcept { return places_; }
  [[nodiscard]] std::uint64_t places_of(const std::string& caller) const;
  [[nodiscard]] const share_limits& limits() const noexcept { return limits_; }

 private:
  struct held {
    std::uint64_t places = 0;
    std::uint64_t bytes = 0;
  };

  const share_limits limits_;
  std::map<std::string, held> callers_;  ///< Only those who have something.
  std::uint64_t places_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace argosy::border
