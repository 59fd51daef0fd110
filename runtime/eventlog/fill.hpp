// SPDX-License-Identifier: Apache-2.0
// How full a log or a store is, and when operators are told of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/clock.hpp"

namespace argosy::eventlog {

/// From this part of the limit on operators are warned.
inline constexpr unsigned warn_percent = 70;
/// From this part on new commands of users are refused. The rest is for what keeps accepted jobs
/// going and for what makes room: reports, leases, plans, cancellations and retention.
inline constexpr unsigned shed_percent = 85;
/// No command of a user may fill log or store up to here.
inline constexpr unsigned last_percent = 95;

/// What something takes of its limit. `bytes_max` is 0 when there is no limit or it is not known.
struct fill {
  std::uint64_t bytes = 0;
  std::uint64_t bytes_max = 0;

  /// Whether at least this part of the limit is taken.
  [[nodiscard]] bool reaches(unsigned percent) const noexcept {
    return bytes_max != 0 && percent_taken() >= percent;
  }
  /// The part that is taken, rounded down; 0 without a limit.
  [[nodiscard]] std::uint64_t percent_taken() const noexcept {
    if (bytes_max == 0) return 0;
    // A limit too large for the product is divided first.
    return bytes > UINT64_MAX / 100 ? bytes / (bytes_max / 100 + 1) : bytes * 100 / bytes_max;
  }
};

/// Judges a disk like a log or a store, by what can still be written to it: of a large disk only
/// the last 2 GiB count, so that the marks are at some hundred MiB, and a small one counts whole.
/// `writable` and `disk_bytes` are in bytes; a disk of 0 bytes is one that is not known.
[[nodiscard]] inline fill disk_fill(std::uint64_t writable, std::uint64_t disk_bytes) noexcept {
  constexpr std::uint64_t counted_max = 2ull << 30;
  const auto counted = std::min(disk_bytes, counted_max);
  return {counted - std::min(counted, writable), counted};
}

/// Decides which change of a fill is told, so that a log line comes at each mark and seldom again.
class fill_watch {
 public:
  enum class word : std::uint8_t { nothing, warn, shed, relieved };
  static constexpr std::chrono::minutes silence{10};

  /// What to tell of how it stands `now`.
  word look(const fill& how_full, boot_time now) {
    const auto was = level_;
    level_ = how_full.reaches(shed_percent)   ? word::shed
             : how_full.reaches(warn_percent) ? word::warn
                                              : word::nothing;
    if (was == word::shed && level_ != word::shed) return told(word::relieved, now);
    if (level_ == word::nothing) return word::nothing;
    return level_ > was || now >= again_ ? told(level_, now) : word::nothing;
  }

 private:
  word told(word what, boot_time now) {
    again_ = now + silence;
    return what;
  }

  word level_ = word::nothing;
  boot_time again_{};
};

}  // namespace argosy::eventlog
