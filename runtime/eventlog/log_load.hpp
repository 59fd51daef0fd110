// SPDX-License-Identifier: Apache-2.0
// How much is on its way to the log, and whether the log has room. Shared by the JOURNAL, which
// tells of a full log, and the owners of state, which count what they have applied and refuse new
// commands by it before they decide: what is decided is never refused any more. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::eventlog {

class log_load {
 public:
  /// Beyond so many bytes nothing new is decided; a decision itself may go over it.
  explicit log_load(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// So much was applied and waits for the log, or has come to an end there.
  void add(std::size_t bytes) noexcept { bytes_ += bytes; }
  void remove(std::size_t bytes) noexcept { bytes_ -= bytes; }
  /// Whether the log refuses records for want of room.
  void set_full(bool full) noexcept { full_ = full; }
  [[nodiscard]] bool full() const noexcept { return full_; }

  /// Whether a new command may be decided. ec::out_of_space: the log is full. ec::overloaded: it
  /// does not keep up.
  [[nodiscard]] result<void> admit() const {
    if (full_)
      return fail(ec::out_of_space,
                  "the log is full, so that nothing new can be accepted: give it more room");
    if (bytes_ < bytes_max_) return {};
    return fail(ec::overloaded, "the log does not keep up: " + std::to_string(bytes_.load()) +
                                    " bytes wait for it; try again in a second");
  }

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<bool> full_{false};
};

}  // namespace argosy::eventlog
