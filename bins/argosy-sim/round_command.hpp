// SPDX-License-Identifier: Apache-2.0
// `argosy-sim round`: rounds on snapshot files, one JSON line for each.
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
  std::string config;     ///< File with a `scheduling:` section; empty: configuration BENCH.
  std::string decisions;  ///< A file, or a folder; empty: not written.
  std::optional<double> protected_fraction;
  std::optional<std::uint64_t> lookback;
  unsigned repeat = 1;
  bool refusals = false;  ///< Print a sentence for each of the first refused jobs.
};

/// Exit code: 0, or 2 for input that cannot be read.
[[nodiscard]] int run_rounds(const round_options& options);

}  // namespace argosy::sim
