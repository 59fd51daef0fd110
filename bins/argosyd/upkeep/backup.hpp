// SPDX-License-Identifier: Apache-2.0
// This file declares `argosyd backup`, and how a backup is put back.
#pragma once

#include <filesystem>

#include "bins/argosyd/options.hpp"
#include "bins/argosyd/upkeep/manifest.hpp"
#include "runtime/base/result.hpp"

namespace argosy::argosyd {

/// Writes the backup and prints what it has. Returns an exit code.
[[nodiscard]] int back_up(const options& chosen);

/// Reads the list of a backup and compares all files with it. Fails with ec::corrupt, naming the
/// file, and with ec::not_found if the folder has no backup.
[[nodiscard]] result<backup_manifest> verify_backup(const std::filesystem::path& folder);

/// Verifies the backup and puts store and key of the log where the settings have them. The data
/// directory must have no store, and no other key; otherwise fails with ec::conflict. What it makes
/// counts as a store with its last step, so that it may be repeated after a crash.
[[nodiscard]] result<backup_manifest> restore_backup(const options& chosen);

}  // namespace argosy::argosyd
