// SPDX-License-Identifier: Apache-2.0
// The database in memory, with hooks for faults. A commit costs what it changes, or a copy of each
// changed table while a reader holds the former one.
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
  /// ec::invalid_argument always: there is no file.
  result<void> backup(const std::string& folder) override;

  /// The next commit keeps nothing and fails so.
  void fail_next_commit(error err);
  /// An independent copy of the last commit, as a restart after a crash would find it.
  [[nodiscard]] std::unique_ptr<memory_database> clone() const;

  struct state;

 private:
  std::shared_ptr<state> state_;
};

}  // namespace argosy::store
