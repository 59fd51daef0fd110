// SPDX-License-Identifier: Apache-2.0
// Limits the lines of each call site in a second, so that a failing loop cannot fill a disk. Not
// thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace argosy::logging {

class rate_limit {
 public:
  /// Decides whether a line of this site may be written now. Returns nothing if not, and else how
  /// many lines were refused since the last one that was written. `now` is monotonic; a limit of 0
  /// lets everything through.
  [[nodiscard]] std::optional<std::uint64_t> admit(const void* file, std::uint32_t line,
                                                   std::chrono::nanoseconds now,
                                                   std::uint32_t limit) {
    if (limit == 0) return 0;
    auto& site = sites_[reinterpret_cast<std::uintptr_t>(file) * 65'537 + line];
    if (now - site.second_began >= std::chrono::seconds{1}) {
      site.second_began = now;
      site.written = 0;
    }
    if (site.written >= limit) {
      ++site.refused;
      return std::nullopt;
    }
    ++site.written;
    const auto refused = site.refused;
    site.refused = 0;
    return refused;
  }

 private:
  struct call_site {
    std::chrono::nanoseconds second_began{std::chrono::nanoseconds::min() / 2};
    std::uint32_t written = 0;
    std::uint64_t refused = 0;
  };
  std::unordered_map<std::uint64_t, call_site> sites_;
};

}  // namespace argosy::logging
