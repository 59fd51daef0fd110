// SPDX-License-Identifier: Apache-2.0
// How callers share the streams over REST, each of which holds a socket or a thread.
#pragma once

#include <cstdint>

#include "runtime/border/shares.hpp"

namespace argosy::rest {

/// Limits by which `all` is never exceeded, the reserve included, and a single caller has half.
[[nodiscard]] constexpr border::share_limits halves(std::uint64_t all) noexcept {
  const auto at_least_one = [](std::uint64_t one) { return one == 0 ? 1 : one; };
  return {at_least_one(all / 2), at_least_one(all * 2 / 3)};
}

}  // namespace argosy::rest
