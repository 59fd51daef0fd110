// SPDX-License-Identifier: Apache-2.0
// The answer_rates of a connection hold what each caller was sent, for any thread. Without a limit
// they count nothing.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/border/answer_rate_core.hpp"

namespace argosy::border {

class answer_rates {
 public:
  using duration = answer_rate_core::duration;

  void limit(const answer_rate& rate) {
    const std::lock_guard lock{mutex_};
    core_.emplace(rate);
  }
  [[nodiscard]] bool is_limited() const {
    const std::lock_guard lock{mutex_};
    return core_.has_value();
  }
  /// How long after `now` more may be sent to the caller, as bus::caller_key() names him.
  [[nodiscard]] duration wait(const std::string& caller, duration now) const {
    const std::lock_guard lock{mutex_};
    return core_ ? core_->wait(caller, now) : duration{};
  }
  void sent(const std::string& caller, std::uint64_t bytes, duration now) {
    const std::lock_guard lock{mutex_};
    if (core_) core_->sent(caller, bytes, now);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<answer_rate_core> core_;  ///< Guarded by mutex_; nothing: there is no limit.
};

}  // namespace argosy::border
