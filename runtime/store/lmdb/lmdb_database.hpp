// SPDX-License-Identifier: Apache-2.0
// The database on LMDB: two files, data.mdb and lock.mdb, in a folder of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "runtime/store/database.hpp"

namespace argosy::store {

struct lmdb_options {
  /// Created (mode 0700) if need be. Not on a network file system.
  std::filesystem::path folder{};
  /// The most that the file may grow to. It is sparse and grows by use; only address space is
  /// taken.
  std::uint64_t map_bytes = 64ull << 30;
  /// Read transactions at once.
  unsigned max_readers = 256;
  /// Spares each commit one flush: after a power cut the last commits may be missing, never torn.
  /// Only where another source can bring them back.
  bool no_meta_sync = false;
};

/// ec::conflict: this process has it open already. ec::corrupt: the files are damaged, or of
/// another program. ec::denied, ec::out_of_space, ec::internal. All name the folder.
[[nodiscard]] result<std::unique_ptr<database>> open_lmdb(const lmdb_options& options);

}  // namespace argosy::store
