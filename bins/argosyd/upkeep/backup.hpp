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

/// Verifies the backup and puts store and key of the log where the settings have them. The data
/// directory must have no store, and no other key; otherwise fails with ec::conflict, and
/// with ec::corrupt for a damaged backup and ec::not_found for none. The store gets its name in the
/// last step. After a crash before that there is no store, and the restore can be repeated.
[[nodiscard]] result<backup_manifest> restore_backup(const options& chosen);

}  // namespace argosy::argosyd
