// SPDX-License-Identifier: Apache-2.0
// A pool_state of which some rounds are decided a second time, from their snapshot alone. Where the
// two plans differ, the second one holds, and what was kept is made anew.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/scheduling/pool_state.hpp"

namespace argosy::scheduling {

enum class verification : std::uint8_t { off, sampled, always };

[[nodiscard]] inline std::span<const std::string_view> enum_names(verification) {
  static constexpr std::array<std::string_view, 3> names{"off", "sampled", "always"};
  return names;
}

class verified_state {
 public:
  /// One round in so many is decided twice if rounds are sampled.
  static constexpr std::uint64_t sampled_every = 64;

  explicit verified_state(verification which = verification::off) : which_(which) {}

  struct outcome {
    scheduling::plan plan;
    bool made_anew = false;  ///< What was kept was of no use.
    bool differed = false;   ///< The plan is that of the snapshot alone.
  };
  /// Decides as pool_state does. A second decision is made on a thread of its own meanwhile.
  [[nodiscard]] outcome decide(const snapshot& from, const std::shared_ptr<const config>& conf,
                               const round_params& params);
  [[nodiscard]] std::uint64_t made_anew() const noexcept { return kept_.made_anew(); }

 private:
  [[nodiscard]] bool is_verified() const {
    return which_ == verification::always ||
           (which_ == verification::sampled && rounds_ % sampled_every == 0);
  }

  verification which_;
  std::uint64_t rounds_ = 0;
  pool_state kept_;
};

/// Whether two plans of one snapshot decide the same.
[[nodiscard]] bool decide_alike(const plan& a, const plan& b);

}  // namespace argosy::scheduling
