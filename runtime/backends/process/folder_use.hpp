// SPDX-License-Identifier: Apache-2.0
// This file counts what a folder holds, which a run may change meanwhile, also in order to deceive.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "runtime/backends/process/storage_policy.hpp"

namespace argosy::backends {

struct folder_use {
  storage_use used;
  bool too_deep = false;  ///< Folders below `folder_depth_max` were not counted.
};

/// The bytes that a file takes on its disk.
[[nodiscard]] std::int64_t stored_bytes(const struct stat& file) noexcept;

/// Below so many folders within each other nothing is counted. A descriptor is held for each.
inline constexpr std::size_t folder_depth_max = 128;

/// Counts what is below the folder, not the folder itself: the blocks of each file once, whatever
/// names it has, and nothing of other file systems. It follows no links and stops at the first
/// count beyond `enough`, where 0 is no bound, or when `cancelled` becomes true. What cannot be
/// read, or goes away meanwhile, counts as nothing.
[[nodiscard]] folder_use use_of_folder(const std::filesystem::path& folder,
                                       const storage_use& enough,
                                       const std::atomic<bool>& cancelled);

}  // namespace argosy::backends
