// SPDX-License-Identifier: Apache-2.0
// Decides whether a caller who is refused is told so. Telling costs more than refusing, so that
// whoever sends without end would have others wait for what he is told. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace argosy::border {

class refusal_core {
 public:
  /// Up to `each` refusals of a caller are told in a second, and those of `callers`.
  explicit refusal_core(std::uint32_t each = 1'000, std::size_t callers = 1'000) noexcept
      : each_(each), callers_(callers) {}

  /// Counts a refusal at this time of any clock that does not go back.
  [[nodiscard]] bool may_tell(const std::string& caller, std::chrono::nanoseconds now) {
    if (told_.empty() || now - began_ >= std::chrono::seconds{1}) {
      told_.clear();
      began_ = now;
    }
    if (told_.size() >= callers_ && !told_.contains(caller)) return false;
    auto& told = told_[caller];
    if (told >= each_) return false;
    ++told;
    return true;
  }

 private:
  const std::uint32_t each_;
  const std::size_t callers_;
  std::chrono::nanoseconds began_{0};
  std::map<std::string, std::uint32_t> told_;
};

}  // namespace argosy::border
