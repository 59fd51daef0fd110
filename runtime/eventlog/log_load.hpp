// SPDX-License-Identifier: Apache-2.0
// log_load knows how much is on its way to the log, and how much room the log has. The JOURNAL
// tells it how the log stands. The owners of state count here what they have applied, and ask it
// before they decide a new command, which they then refuse if too much waits: once decided, a
// command is never refused. Metrics read it as well. It may be used from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::eventlog {

/// The size of the log and its bound. `bytes_max` is 0 when there is no bound or it is not known.
struct log_room {
  std::uint64_t bytes = 0;
  std::uint64_t bytes_max = 0;
};

class log_load {
 public:
  /// Above `bytes_max` no new command is decided; a single decision may go above it.
  explicit log_load(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Counts bytes that were applied and wait for the log, or that wait no longer.
  void add(std::size_t bytes) noexcept { bytes_ += bytes; }
  void remove(std::size_t bytes) noexcept { bytes_ -= bytes; }
  /// Whether the log refuses records for want of room.
  void set_full(bool full) noexcept { full_ = full; }
  [[nodiscard]] bool full() const noexcept { return full_; }
  /// Whether the tail has no room for more batches of which the log may not be on its disk yet.
  void set_tail_full(bool full) noexcept { tail_full_ = full; }
  [[nodiscard]] bool tail_full() const noexcept { return tail_full_; }
  void set_room(log_room room) noexcept {
    log_bytes_ = room.bytes;
    log_bytes_max_ = room.bytes_max;
  }
  [[nodiscard]] log_room room() const noexcept { return {log_bytes_, log_bytes_max_}; }
  /// Sets the position of the last record that is durable and applied to the view.
  void set_position(std::uint64_t position) noexcept { position_ = position; }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return bytes_; }

  /// Whether a new command may be decided. Fails with ec::out_of_space when the log is full, and
  /// with ec::overloaded when the log does not keep up or the tail is full.
  [[nodiscard]] result<void> admit() const {
    if (full_)
      return fail(ec::out_of_space,
                  "the log is full, so that nothing new can be accepted: give it more room");
    if (tail_full_)
      return fail(ec::overloaded,
                  "more is accepted than the log writes to its disk in time, and the store has no "
                  "room to keep it meanwhile; try again in a minute");
    if (bytes_ < bytes_max_) return {};
    return fail(ec::overloaded, "the log does not keep up: " + std::to_string(bytes_.load()) +
                                    " bytes wait for it; try again in a second");
  }

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<bool> full_{false};
  std::atomic<bool> tail_full_{false};
  std::atomic<std::uint64_t> log_bytes_{0};
  std::atomic<std::uint64_t> log_bytes_max_{0};
  std::atomic<std::uint64_t> position_{0};
};

}  // namespace argosy::eventlog
