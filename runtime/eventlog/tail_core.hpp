// SPDX-License-Identifier: Apache-2.0
// tail_core decides for how long raw batches stay in the tail: until the log has certainly written
// them to its disk. Pure: times are CLOCK_BOOTTIME, given by the caller. A STORE owns it; it is not
// thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "runtime/base/clock.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::eventlog {

struct tail_rules {
  /// A batch stays for this time after its commit, unless the tail is larger than bytes_max.
  boot_time age_min = std::chrono::minutes{10};
  /// No batch leaves earlier than this: a nats-server writes to its disk every two minutes, and
  /// this is twice that.
  boot_time synced_after = std::chrono::minutes{4};
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
  /// Above this size nothing new may be accepted until batches have left.
  std::uint64_t bytes_limit = std::uint64_t{16} << 30;
};

/// The rules for a store that may take `store_bytes_max` bytes, of which the tail gets a quarter;
/// 0: there is no bound.
[[nodiscard]] tail_rules tail_rules_for(std::uint64_t store_bytes_max);

class tail_core {
 public:
  explicit tail_core(const tail_rules& rules = {}) : rules_(rules) {}

  /// The tail has got this batch. It replaces those that were there at its position and behind.
  void add(model::log_position position, std::uint64_t bytes, boot_time now);
  /// The batch is in the log since now, which may be long after it came into the tail.
  void committed(model::log_position position, boot_time now);

  /// How many of the oldest batches may leave. The newest always stays, since it proves how far the
  /// log must reach at least.
  [[nodiscard]] std::size_t due(boot_time now) const;
  /// The position of a batch, counted from the oldest.
  [[nodiscard]] model::log_position position(std::size_t index) const {
    return entries_[index].position;
  }
  /// The oldest `count` batches have left.
  void drop(std::size_t count);

  [[nodiscard]] bool full() const noexcept { return bytes_ > rules_.bytes_limit; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct entry {
    model::log_position position{};
    std::uint64_t bytes = 0;
    boot_time since{};
  };

  tail_rules rules_;
  std::deque<entry> entries_;  ///< The oldest is the first.
  std::uint64_t bytes_ = 0;
};

}  // namespace argosy::eventlog
