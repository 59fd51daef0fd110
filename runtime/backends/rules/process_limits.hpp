// SPDX-License-Identifier: Apache-2.0
// What a run that is a process may take of its machine, and what is kept of runs that have ended.
#pragma once

#include <cstdint>

#include "runtime/model/byte_size.hpp"

namespace argosy::backends {

struct process_limits {
  std::uint32_t pids_max = 4'096;  ///< How many processes a run may have; 0: not limited.
  /// Runs are refused, and in the end stopped, while the file system of their folders has less free
  /// than this; 0: never.
  model::byte_size disk_reserve{std::uint64_t{1} << 30};
  /// How much a run may store whose job asks for no ephemeral-storage; 0: not limited.
  model::byte_size storage_max{std::uint64_t{8} << 30};
  /// How many files and folders a run may have; 0: not limited.
  std::uint32_t files_max = 1'000'000;
  model::byte_size output_max{64 << 20};  ///< How much output is kept of each run.
  std::uint32_t keep_runs_max = 1'000;    ///< How many folders of ended runs are kept.
  /// How much output these may have together.
  model::byte_size keep_bytes_max{std::uint64_t{4} << 30};
};

/// Runs may store what they like, as far as the disk has room.
[[nodiscard]] inline process_limits without_storage_limits() {
  process_limits out;
  out.disk_reserve = {};
  out.storage_max = {};
  out.files_max = 0;
  return out;
}

}  // namespace argosy::backends
