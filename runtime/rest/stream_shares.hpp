// SPDX-License-Identifier: Apache-2.0
// Callers share the streams over REST, since each of them holds a socket or a thread.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/border/shares.hpp"

namespace argosy::rest {

/// Limits by which `all` is never exceeded, the reserve for newcomers included. A single caller has
/// a third, since he leaves as much as he has to those who have some, and as much to newcomers.
[[nodiscard]] constexpr border::share_limits thirds(std::uint64_t all) noexcept {
  const auto at_least_one = [](std::uint64_t one) { return one == 0 ? 1 : one; };
  return {at_least_one(all / 3), at_least_one(all * 2 / 3)};
}

/// Tells a caller why he gets no other one of the streams, of which `all` may be open.
[[nodiscard]] inline std::string stream_refusal(border::share_core::answer why,
                                                const std::string& streams, std::uint64_t all) {
  if (why == border::share_core::answer::own_share_full)
    return "you have " + std::to_string(thirds(all).own) + " " + streams +
           " open, as many as one caller may have; close some";
  return "callers have nearly all of the " + std::to_string(all) + " " + streams +
         " open that there may be; close some of yours or try again later";
}

}  // namespace argosy::rest
