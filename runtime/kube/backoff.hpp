// SPDX-License-Identifier: Apache-2.0
// How long to wait before the next try: twice as long after each failure up to a limit, and of that
// a random part, so that many clients do not come back at once. Pure.
#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/base/random.hpp"

namespace argosy::kube {

struct backoff_rules {
  std::chrono::milliseconds first{200};
  std::chrono::milliseconds most{30'000};
};

/// Between half and all of first * 2^(failures - 1), or of `most` if that is less. `failures`
/// counts from 1.
[[nodiscard]] inline std::chrono::milliseconds backoff(const backoff_rules& rules,
                                                       unsigned failures, random_source& random) {
  auto full = std::min(rules.first, rules.most);
  for (unsigned i = 1; i < failures && full < rules.most; ++i)
    full = std::min(full * 2, rules.most);
  const auto half = full.count() / 2;
  const auto spread = static_cast<std::uint64_t>(full.count() - half) + 1;
  return std::chrono::milliseconds{half + static_cast<std::int64_t>(random.next() % spread)};
}

}  // namespace argosy::kube
