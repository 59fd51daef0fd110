// SPDX-License-Identifier: Apache-2.0
// This file opens the store of the data directory for reading alone, beside an argosyd or without.
#pragma once

#include <filesystem>
#include <memory>

#include "runtime/base/result.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::argosyd {

/// Fails as store::open_lmdb() does.
[[nodiscard]] inline result<std::unique_ptr<store::database>> open_to_read(
    const settings::argosyd_settings& settings) {
  return store::open_lmdb({.folder = std::filesystem::path{settings.data_dir} / "store",
                           .map_bytes = settings.store_map_size.bytes,
                           .read_only = true});
}

}  // namespace argosy::argosyd
