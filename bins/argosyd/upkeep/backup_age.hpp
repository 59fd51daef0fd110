// SPDX-License-Identifier: Apache-2.0
// The age of the last backup of a data directory, and what is to be said of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "runtime/health/concern.hpp"

namespace argosy::argosyd {

/// Nothing if all is well. Unix times in nanoseconds. `backup_ns` is 0 if there was no backup;
/// `begun_ns` is when the data directory was made, 0 if that is not known or backups are not
/// expected.
[[nodiscard]] std::optional<health::concern> backup_concern(std::int64_t backup_ns,
                                                            std::int64_t begun_ns,
                                                            std::int64_t now_ns);

/// When the folder was made, as a Unix time in nanoseconds. Where its file system does not know, it
/// is when the oldest thing in it was last changed; 0: nothing is in it.
[[nodiscard]] std::int64_t made_at_ns(const std::filesystem::path& folder);

}  // namespace argosy::argosyd
