// SPDX-License-Identifier: Apache-2.0
// The database on LMDB: two files, data.mdb and lock.mdb, in a folder of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runtime/store/database.hpp"

namespace argosy::store {

struct lmdb_options {
  /// The folder, created (mode 0700) if it is not there. It must not be on a network file system.
  std::filesystem::path folder{};
  /// The largest size of the file. It is sparse and grows by use, so that this takes only address
  /// space.
  std::uint64_t map_bytes = 64ull << 30;
  /// The setting that gives map_bytes, for the message that the map is full; empty if there is
  /// none.
  std::string map_setting{};
  /// The largest number of read transactions at once.
  unsigned max_readers = 256;
  /// Spares each commit one flush. After a power cut the last commits may be missing, but none is
  /// torn. Set it only if another source can bring them back.
  bool no_meta_sync = false;
  /// Opens a database that is there for reading alone, also while another process writes to it, and
  /// makes no folder or table. A table that it does not have is empty.
  bool read_only = false;
};

/// Opens the database. Fails with ec::conflict when this process has it open already, with
/// ec::corrupt when the files are damaged or belong to another program, with ec::not_found when it
/// is only to be read and is not there, and with ec::denied, ec::out_of_space or ec::internal. All
/// messages name the folder.
[[nodiscard]] result<std::unique_ptr<database>> open_lmdb(const lmdb_options& options);

}  // namespace argosy::store
