// SPDX-License-Identifier: Apache-2.0
// `argosy-sim round`: runs rounds on snapshot files and prints one JSON line for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/scheduling/config.hpp"

namespace argosy::sim {

struct round_options {
  std::vector<std::string> files;
  std::string preset = "current";
  std::string config;     ///< A file with a section `scheduling:`; empty: the configuration BENCH.
  std::string decisions;  ///< A file or a folder; empty: decisions are not written.
  std::optional<double> protected_fraction;
  std::optional<std::uint64_t> lookback;
  unsigned repeat = 1;
  bool refusals = false;  ///< True: print a sentence for each refused job.
};

/// Returns an exit code: 0, or 2 for input that cannot be read.
[[nodiscard]] int run_rounds(const round_options& options);

}  // namespace argosy::sim
