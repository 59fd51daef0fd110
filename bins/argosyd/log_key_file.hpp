// SPDX-License-Identifier: Apache-2.0
// This file declares how argosyd comes by the key of its log.
#pragma once

#include <filesystem>

#include "messages/codec/log/batch_mac.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/argosyd_settings.hpp"

namespace argosy::argosyd {

/// Reads the key, and makes the file (mode 0600) with a random one if it is not there. Of several
/// processes that do so at once all get the same key. Fails with ec::denied if others may read the
/// file, with ec::corrupt if it is no key, and as backends::write_file() does.
[[nodiscard]] result<codec::log_key> open_log_key(const std::filesystem::path& path);

/// Reads the key, and makes none: fails with ec::not_found if the file is not there.
[[nodiscard]] result<codec::log_key> read_log_key(const std::filesystem::path& path);

/// The place that the settings name for the key.
[[nodiscard]] std::filesystem::path log_key_path(const settings::argosyd_settings& settings);

}  // namespace argosy::argosyd
