// SPDX-License-Identifier: Apache-2.0
// What the rounds of one pool know of its nodes, kept from one round to the next: each round costs
// what changed since the last one, and not what there is. A round is a transaction: what it did is
// taken back before the next one, and what it decided comes back as changes of the snapshot. Hence
// decide() gives the same plan as schedule(), whatever was decided before.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

namespace engine {
class world;
}

/// Which rounds are decided a second time, from their snapshot alone.
enum class verification : std::uint8_t { off, sampled, always };

[[nodiscard]] inline std::span<const std::string_view> enum_names(verification) {
  static constexpr std::array<std::string_view, 3> names{"off", "sampled", "always"};
  return names;
}

class pool_state {
 public:
  pool_state();
  ~pool_state();
  pool_state(pool_state&&) noexcept;
  pool_state& operator=(pool_state&&) noexcept;

  /// Decides a round as schedule() does. What was kept is of use if snapshot, configuration (the
  /// same object) and params.pool are those of the last round; otherwise it is made anew.
  [[nodiscard]] plan decide(const snapshot& from, const std::shared_ptr<const config>& conf,
                            const round_params& params);

  /// How many rounds had to make it anew, the first one among them.
  [[nodiscard]] std::uint64_t made_anew() const noexcept { return made_anew_; }
  /// How many nodes were measured before the last round: those that it or a change had touched, or
  /// all where it was made anew.
  [[nodiscard]] std::uint64_t measured() const noexcept { return measured_; }
  /// Forgets what was kept.
  void clear();

 private:
  /// Makes the world ready for a round of the pool with that number.
  void make_ready(const tables& t, const std::shared_ptr<const config>& conf,
                  const round_params& params, std::uint32_t pool);

  std::unique_ptr<engine::world> world_;
  const tables* tables_ = nullptr;  ///< The world is made of these ...
  std::shared_ptr<const config> conf_;
  std::uint32_t pool_ = none;
  std::vector<std::string> closed_executors_;  ///< ... and these.
  std::uint64_t made_anew_ = 0;
  std::uint64_t measured_ = 0;
};

/// Whether two plans of one snapshot decide the same.
[[nodiscard]] bool decide_alike(const plan& a, const plan& b);

}  // namespace argosy::scheduling
