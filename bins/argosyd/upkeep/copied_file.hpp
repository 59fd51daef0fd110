// SPDX-License-Identifier: Apache-2.0
// This file declares how the files of a backup are copied, made durable and compared.
#pragma once

#include <filesystem>
#include <string>

#include "bins/argosyd/upkeep/manifest.hpp"
#include "runtime/base/result.hpp"

namespace argosy::argosyd {

/// Copies a file to a name that is not there yet (mode 0600), and has it on the disk when it
/// returns. Fails with ec::not_found, ec::out_of_space or ec::internal; all messages name a path.
result<void> copy_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// The entry of a backup's list for the file `name` in `folder`.
[[nodiscard]] result<backup_file> describe_file(const std::filesystem::path& folder,
                                                const std::string& name);

}  // namespace argosy::argosyd
