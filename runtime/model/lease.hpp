// SPDX-License-Identifier: Apache-2.0
// For how long runs may go on without contact, and when they are certainly over. Agent, shim and
// control plane reckon with the functions of this file alone, so that the control plane never
// places a job again while a run of it may still be alive.
//
// An agent that sends a renewal at time S (by its own CLOCK_BOOTTIME) and gets it answered may let
// its runs go on until S + length. Then they get SIGTERM, and whatever is alive at
// S + length + kill grace gets SIGKILL, however long the job's own grace period is. The control
// plane answers at or after S, so that all runs are over once `lapse_span` has passed since it
// answered last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/model/job.hpp"

namespace argosy::model {

/// What the runs of an agent are held to. Times are CLOCK_BOOTTIME of the agent's machine.
struct run_lease {
  boot_time until{};       ///< Runs may go on until then.
  boot_time kill_grace{};  ///< What their end may take after that.
  /// By so much the wall clock was ahead of the clock since boot when the renewal was asked for; 0
  /// if that is not known.
  boot_time wall_ahead{};
  boot_time period{};  ///< How long after that the next renewal is asked for.

  /// No run of this lease is alive after this. Never overflows.
  [[nodiscard]] constexpr boot_time dead_by() const noexcept {
    return until > boot_time::max() - kill_grace ? boot_time::max() : until + kill_grace;
  }

  friend bool operator==(const run_lease&, const run_lease&) = default;
};

/// How long after an agent was last heard all of its runs are over for certain. The agent's clock
/// may be slow by `clock_drift` (a part, 0..1) during all of lease and kill grace; `margin` covers
/// what signals and timers take.
[[nodiscard]] constexpr boot_time lapse_span(boot_time length, boot_time kill_grace,
                                             double clock_drift, boot_time margin) noexcept {
  const auto by_agent = length + kill_grace;
  const auto drift = static_cast<std::int64_t>(static_cast<double>(by_agent.count()) * clock_drift);
  return by_agent + boot_time{drift} + margin;
}

/// The names of the lease policies as configurations and annotations write them, in the order of
/// the enumeration.
inline constexpr std::array<std::string_view, 3> lease_policy_names{
    "requeueAfterLease", "requeueAfterConfirmation", "fail"};
static_assert(lease_policy_names.size() == static_cast<std::size_t>(lease_policy::fail) + 1);

[[nodiscard]] constexpr std::span<const std::string_view> enum_names(lease_policy) noexcept {
  return lease_policy_names;
}

}  // namespace argosy::model
