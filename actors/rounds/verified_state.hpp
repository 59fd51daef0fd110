// SPDX-License-Identifier: Apache-2.0
// A pool_state of which some rounds are decided a second time, from their snapshot alone. Where the
// two plans differ, the second one holds, and what was kept is made anew.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/scheduling/pool_state.hpp"

namespace argosy::actors {

/// The parameters with which the round that gave this plan is decided again, whatever time it
/// takes.
[[nodiscard]] scheduling::round_params with_draws_of(const scheduling::plan& plan,
                                                     scheduling::round_params params);

class verified_state {
 public:
  /// One round in so many is decided twice if rounds are sampled.
  static constexpr std::uint64_t sampled_every = 64;

  explicit verified_state(scheduling::verification which = scheduling::verification::off)
      : which_(which) {}

  struct outcome {
    scheduling::plan plan;
    bool made_anew = false;  ///< The kept state could not be used for this round.
    bool differed = false;   ///< The plan is that of the snapshot alone.
  };
  /// Decides as pool_state does. A second decision is made on a thread of its own meanwhile, or
  /// afterwards if time may end the draws.
  [[nodiscard]] outcome decide(const scheduling::snapshot& from,
                               const std::shared_ptr<const scheduling::config>& conf,
                               const scheduling::round_params& params);
  [[nodiscard]] std::uint64_t made_anew() const noexcept { return kept_.made_anew(); }
  [[nodiscard]] std::uint64_t measured() const noexcept { return kept_.measured(); }

 private:
  [[nodiscard]] bool is_verified() const {
    return which_ == scheduling::verification::always ||
           (which_ == scheduling::verification::sampled && rounds_ % sampled_every == 0);
  }

  scheduling::verification which_;
  std::uint64_t rounds_ = 0;
  scheduling::pool_state kept_;
};

}  // namespace argosy::actors
