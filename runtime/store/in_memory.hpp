// SPDX-License-Identifier: Apache-2.0
// The database in memory, with hooks for faults. The cost of a commit grows with its changes; a
// changed table is copied if a reader holds its former version.
#pragma once

#include <memory>
#include <optional>

#include "runtime/store/database.hpp"

namespace argosy::store {

class memory_database final : public database {
 public:
  explicit memory_database(std::uint64_t limit_bytes = 1ull << 40);
  ~memory_database() override;

  result<std::unique_ptr<read_txn>> begin_read() override;
  result<std::unique_ptr<write_txn>> begin_write() override;
  result<database_usage> usage() override;
  /// There are none to tell of: a reader keeps nothing from being used.
  result<std::vector<reader>> readers() override { return std::vector<reader>{}; }
  /// Always fails with ec::invalid_argument, since there is no file.
  result<void> backup(const std::string& folder) override;

  /// Makes the next commit fail with this error and keep nothing.
  void fail_next_commit(error err);
  /// Makes usage() tell of a disk with so many free bytes, of a reader that keeps `held` bytes, and
  /// of bytes that the disk keeps for the store.
  void set_room(std::uint64_t disk_free, std::uint64_t disk, std::uint64_t held = 0,
                std::uint64_t reserved = 0);
  /// An independent copy of the last commit, as a restart after a crash would find it.
  [[nodiscard]] std::unique_ptr<memory_database> clone() const;

  struct state;

 private:
  std::shared_ptr<state> state_;
};

}  // namespace argosy::store
