// SPDX-License-Identifier: Apache-2.0
// Decides whether a request is sent again after a try, and when. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/base/random.hpp"
#include "runtime/kube/backoff.hpp"

namespace argosy::kube {

struct retry_rules {
  unsigned tries_max = 6;
  backoff_rules waits{};
};

/// How one try ended.
struct try_end {
  int status = 0;  ///< 0 if there was no answer.
  std::optional<std::chrono::milliseconds> retry_after{};
  /// Whether another try cannot help, as when the answer is too long or the request cannot be made.
  bool final = false;
};

class retry_core {
 public:
  /// `safe`: a request that may be sent twice, which is to say a GET. No try begins at or after
  /// `deadline`.
  retry_core(bool safe, boot_time deadline, const retry_rules& rules)
      : safe_(safe), deadline_(deadline), rules_(rules) {}

  /// How long to wait before the next try; nothing if the end of this one is what the caller gets.
  /// Each call counts a try.
  [[nodiscard]] std::optional<std::chrono::milliseconds> after(const try_end& end, boot_time now,
                                                               random_source& random);

 private:
  bool safe_;
  boot_time deadline_;
  retry_rules rules_;
  unsigned tries_ = 0;
};

/// The header Retry-After in seconds; nothing for any other form of it and for more than a day.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_retry_after(std::string_view value);

}  // namespace argosy::kube
