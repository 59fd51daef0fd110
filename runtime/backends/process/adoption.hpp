// SPDX-License-Identifier: Apache-2.0
// This file declares what an agent finds of earlier runs when it starts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/process/run_folder.hpp"

namespace argosy::backends {

struct adopted_run {
  model::run_key run;
  shim_process shim;
  bool running = false;
  shim_plan plan;  ///< As far as it can be read.
};

struct adoption {
  std::vector<run_event> events;   ///< One for each known run.
  std::vector<adopted_run> alive;  ///< The known runs whose shims live.
  /// The ended runs that are not known; only their output is of use.
  std::vector<model::run_key> kept;
};

/// Looks through the runs' folders and the cgroups of `cgroup` (empty: none). Kills runs that live
/// and are not known, waiting up to five seconds for each. `same_boot` says that the folders were
/// written since the machine started, so that what is missing in them never happened. Fails where
/// it cannot be found out whether a run lives.
[[nodiscard]] result<adoption> adopt_runs(const std::filesystem::path& runs_dir,
                                          const std::string& cgroup, bool same_boot,
                                          const std::vector<model::recorded_run>& known);

}  // namespace argosy::backends
