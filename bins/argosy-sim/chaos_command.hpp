// SPDX-License-Identifier: Apache-2.0
// `argosy-sim chaos`: runs simulated worlds under faults and says what was found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace argosy::sim {

struct chaos_options {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;              ///< Worlds, with seeds that follow one another.
  std::string profile = "everything";  ///< One of sim::profile_names, or `all`: in turns.
  double hours = 1;                    ///< The simulated time of each.
  std::uint64_t agents = 2;
  std::uint64_t planes = 0;         ///< See simulation_settings.
  std::uint64_t jobs = 2'000;       ///< An hour.
  std::vector<std::size_t> faults;  ///< By their places in the plan; empty: all.
#ifdef ARGOSY_PLANTED_FAULTS
  std::string plant = "none";  ///< One of planted_fault_names.
#endif
  bool stop_at_finding = false;
  bool shrink = false;  ///< Look for the smallest list of faults with a finding.
  double seconds = 0;   ///< No world begins after so much real time; 0: no limit.
  std::string log;      ///< Where what the processes log goes; empty: nowhere.
  std::string trace;    ///< Where the trace goes; empty: nowhere.
};

/// The names that chaos_options::profile takes, as a part of a sentence.
[[nodiscard]] std::string profile_list();

/// Returns an exit code: 0, 1 if something was found, or 2 for options that make no sense.
[[nodiscard]] int run_chaos(const chaos_options& options);

}  // namespace argosy::sim
