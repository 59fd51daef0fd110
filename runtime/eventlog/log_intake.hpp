// SPDX-License-Identifier: Apache-2.0
// log_intake knows whether the log takes records now, and how long ones. The JOURNAL tells it, and
// everybody asks; it may be used from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "runtime/base/result.hpp"

namespace argosy::eventlog {

class log_intake {
 public:
  /// Whether the log refuses records for want of room.
  void set_full(bool full) noexcept { full_ = full; }
  [[nodiscard]] bool is_full() const noexcept { return full_; }
  /// The longest record that the log takes. It follows the nats-server's max_payload, which may
  /// change at any time. 0: it is not known.
  void set_record_bytes_max(std::size_t bytes) noexcept { record_bytes_max_ = bytes; }
  /// So many bytes of events fit into one record of the log, but at most `wanted`.
  [[nodiscard]] std::size_t event_bytes_max(std::size_t wanted) const noexcept {
    const std::size_t most = record_bytes_max_;
    return most == 0 ? wanted : std::min(wanted, most / 8 * 7);
  }
  /// A record of this size waits that the log does not take; 0: none does.
  void set_too_long(std::size_t bytes) noexcept { too_long_ = bytes; }

  /// Fails with ec::out_of_space while a record waits that the log does not take.
  [[nodiscard]] result<void> takes_what_waits() const;
  /// Fails as takes_what_waits() does, and when the log is full. Both last until an operator acts.
  [[nodiscard]] result<void> takes_records() const;

 private:
  std::atomic<bool> full_{false};
  std::atomic<std::size_t> record_bytes_max_{0};
  std::atomic<std::size_t> too_long_{0};
};

}  // namespace argosy::eventlog
