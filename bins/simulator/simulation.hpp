// SPDX-License-Identifier: Apache-2.0
// This file declares a run of a whole simulated world: one to three control planes, agents and
// users, all of them the real actors in virtual time, the faults of a plan, and the verdict in the
// end. The same settings give the same run, message by message, on every machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bins/simulator/crowd.hpp"
#include "bins/simulator/fault_plan.hpp"
#include "bins/simulator/operators.hpp"
#include "bins/simulator/witness/verdict.hpp"

namespace argosy::sim {

struct simulation_settings {
  std::uint64_t seed = 1;
  profile by = profile::everything;
  std::chrono::nanoseconds length = std::chrono::hours{1};
  std::size_t agents = 2;
  /// Control planes; three decide together. 0: one, or two of which the second follows.
  std::size_t planes = 0;
  crowd_rules users{};
  /// The faults of the plan that happen, by their places in it; nothing: all.
  std::optional<std::vector<std::size_t>> faults{};
  std::string trace_file{};  ///< Empty: only the digest is kept.
};

struct simulation_result {
  std::uint64_t trace_digest = 0;
  std::uint64_t log_digest = 0;    ///< The digest of all records.
  std::uint64_t store_digest = 0;  ///< That of the control planes' stores.
  std::uint64_t records = 0;
  std::uint64_t messages = 0;   ///< That actors handled.
  std::uint64_t takeovers = 0;  ///< How often another control plane led than the one before.
  std::uint64_t starts = 0;     ///< How often control planes were started.
  crowd_counts users{};
  std::uint64_t watched = 0;  ///< Events that watchers saw.
  std::uint64_t streams = 0;  ///< How often they opened a stream.
  std::vector<fault> plan;    ///< All of it.
  std::map<fault_kind, std::uint64_t> faults{};
  std::map<act_kind, std::uint64_t> acts{};
  std::uint64_t comparisons = 0;  ///< How often a start was compared with a job that waited.
  witness::verdict verdict{};
  /// What is wrong, each in a sentence; empty: nothing was found.
  std::vector<std::string> findings{};
};

/// A thread runs one simulation at a time, to which its time and its ids of tracing belong.
[[nodiscard]] simulation_result simulate(const simulation_settings& settings);

/// The smallest list of faults found, by their places in the plan, with which the run still has a
/// finding (delta debugging: Zeller and Hildebrandt, 2002). Nothing if it has none with all.
[[nodiscard]] std::optional<std::vector<std::size_t>> shrink(simulation_settings settings);

}  // namespace argosy::sim
