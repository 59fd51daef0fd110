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

/// Reads the list of the backup and compares all files with it. Fails with ec::corrupt, naming the
/// file, and with ec::not_found if the folder has no backup.
[[nodiscard]] result<backup_manifest> verify_backup(const std::filesystem::path& folder);

/// Puts the backup's store into a data directory that has none. It gets its name in the last step.
result<void> restore_store(const std::filesystem::path& backup,
                           const std::filesystem::path& data_dir);

/// Verifies the backup and puts store and key of the log where the settings have them. The data
/// directory must have no store, and no other key; otherwise fails with ec::conflict, and
/// with ec::corrupt for a damaged backup and ec::not_found for none. The store gets its name in the
/// last step. After a crash before that there is no store, and the restore can be repeated.
[[nodiscard]] result<backup_manifest> restore_backup(const options& chosen);

}  // namespace argosy::argosyd
