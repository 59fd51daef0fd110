// SPDX-License-Identifier: Apache-2.0
// An ordered key-value database with tables and transactions. Implementations are in memory and
// LMDB. Readers see the state of the last commit before they began, for as long as they live, and
// never wait for the writer.
//
// Any number of threads may read, each transaction on one thread at a time. All write transactions
// belong to one thread. Keys are 1 to 511 bytes, ordered as unsigned bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/table.hpp"

namespace argosy::store {

/// A key and its value, valid until the transaction ends or changes something.
struct entry {
  std::string_view key;
  std::string_view value;
};

/// Walks one table. Each function moves and returns where it arrived, or nothing past either end.
/// Must not outlive its transaction; after the transaction changes the table, seek again.
class cursor {
 public:
  virtual ~cursor() = default;
  [[nodiscard]] virtual result<std::optional<entry>> first() = 0;
  [[nodiscard]] virtual result<std::optional<entry>> last() = 0;
  /// The first key that is not before `from`.
  [[nodiscard]] virtual result<std::optional<entry>> seek(std::string_view from) = 0;
  /// Moves one entry on or back. As the first call, these are first() and last(). From past an end,
  /// the way back leads to the entry at that end.
  [[nodiscard]] virtual result<std::optional<entry>> next() = 0;
  [[nodiscard]] virtual result<std::optional<entry>> previous() = 0;
};

/// A transaction that reads. All functions may fail with ec::corrupt, which names the path, and
/// ec::internal.
class read_txn {
 public:
  virtual ~read_txn() = default;
  [[nodiscard]] virtual result<std::optional<std::string_view>> get(table in,
                                                                    std::string_view key) = 0;
  [[nodiscard]] virtual result<std::unique_ptr<cursor>> open_cursor(table in) = 0;
  /// The number of entries of a table.
  [[nodiscard]] virtual result<std::uint64_t> count(table in) = 0;
};

/// A transaction that writes. Destroying it without commit() aborts it. Besides the errors of
/// read_txn there are ec::out_of_space when the map or the disk is full, in which case commit() has
/// kept nothing, and ec::invalid_argument for the length of a key.
class write_txn : public read_txn {
 public:
  /// Inserts or replaces an entry.
  virtual result<void> put(table in, std::string_view key, std::string_view value) = 0;
  /// A faster put() for keys that come in ascending order. Fails with ec::conflict if the key does
  /// not come after the last one of the table.
  virtual result<void> append(table in, std::string_view key, std::string_view value) = 0;
  /// Erases an entry and returns whether it existed.
  virtual result<bool> erase(table in, std::string_view key) = 0;
  /// When it returns success the changes are durable (see the options of the implementation).
  /// Ends the transaction in every case; nothing else may be called afterwards.
  virtual result<void> commit() = 0;
};

struct database_usage {
  std::uint64_t used_bytes = 0;  ///< What is in use; room that was freed is not counted.
  std::uint64_t limit_bytes = 0;
  /// What was ever in use at a time: room that was freed is used again, and is not given back.
  std::uint64_t file_bytes = 0;
  /// What was freed and cannot be used again yet, since a reader sees a commit that has it.
  std::uint64_t held_bytes = 0;
  /// What processes like this one may still write to the file system of the database, and its
  /// size; both are 0 if there is none or it does not tell.
  std::uint64_t disk_free_bytes = 0;
  std::uint64_t disk_bytes = 0;
  /// What the file system keeps for the file behind its end, whatever else fills the disk.
  std::uint64_t reserved_bytes = 0;

  /// What can be written without a longer file.
  [[nodiscard]] std::uint64_t reusable_bytes() const noexcept {
    const auto taken = used_bytes + held_bytes;
    return file_bytes > taken ? file_bytes - taken : 0;
  }
};

/// A read transaction that somebody has, in this process or in another one.
struct reader {
  std::int64_t process = 0;  ///< The number of its process.
  std::string thread;        ///< Tells readers of one process apart.
  std::uint64_t commit = 0;  ///< The number of the commit that it sees.
  /// What was freed since that commit, which this reader alone would keep from being used again.
  std::uint64_t held_bytes = 0;
};

class database {
 public:
  virtual ~database() = default;
  [[nodiscard]] virtual result<std::unique_ptr<read_txn>> begin_read() = 0;
  /// Begins a write transaction. There is one at a time: LMDB blocks while another exists.
  [[nodiscard]] virtual result<std::unique_ptr<write_txn>> begin_write() = 0;
  /// It costs microseconds, whatever the size, and may be called by any thread.
  [[nodiscard]] virtual result<database_usage> usage() = 0;
  /// Lists the readers, oldest commit first, those of this process too. It reads all that was freed
  /// since the oldest one began, and may be called by any thread.
  [[nodiscard]] virtual result<std::vector<reader>> readers() = 0;
  /// Writes a consistent and compacted copy of the last commit into a folder that must not exist
  /// yet.
  virtual result<void> backup(const std::string& folder) = 0;
};

}  // namespace argosy::store
