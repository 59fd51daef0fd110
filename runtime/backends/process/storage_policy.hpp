// SPDX-License-Identifier: Apache-2.0
// This file decides which runs are ended for what they store: each that stores more than it may,
// and where the disk has no room left, the one whose end gives back the most. It is
// pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/job.hpp"

namespace argosy::backends {

struct storage_use {
  std::int64_t bytes = 0;  ///< The blocks of files and folders.
  std::int64_t files = 0;  ///< The number of files and folders.

  friend bool operator==(const storage_use&, const storage_use&) = default;
};

struct storing_run {
  model::run_key run;
  std::int64_t bytes_max = 0;  ///< 0: not limited.
  storage_use used;
  /// Its folders are nested deeper than is counted.
  bool too_deep = false;
  /// It is being ended for what it stores.
  bool ending = false;
};

struct disk_room {
  storage_use free;
  storage_use reserve;  ///< What is to stay free.
};

/// A run that is to be ended, with the reason and the message that its job's user reads.
struct storage_end {
  model::run_key run;
  std::string reason;
  std::string message;

  friend bool operator==(const storage_end&, const storage_end&) = default;
};

/// `files_max` holds for each run; 0 means any number.
[[nodiscard]] std::vector<storage_end> runs_over_limit(const std::vector<storing_run>& runs,
                                                       std::int64_t files_max);

/// Whether less is free than the reserve.
[[nodiscard]] bool lacks_room(const disk_room& disk);

/// The run to end where room is lacking and no run is over its limit: the one that uses most of
/// what is lacking. Nothing while another run is being ended, since what that gives back is not
/// known yet, and if no run uses enough that its end would help.
[[nodiscard]] std::optional<storage_end> run_to_end_for_room(const std::vector<storing_run>& runs,
                                                             const disk_room& disk);

}  // namespace argosy::backends
