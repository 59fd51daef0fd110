// SPDX-License-Identifier: Apache-2.0
// The opened LMDB environment, and what LMDB's error codes mean. Internal to the store.
#pragma once

#include <lmdb.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::store {

class environment {
 public:
  [[nodiscard]] static result<std::shared_ptr<environment>> open(const lmdb_options& options);
  ~environment();
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  [[nodiscard]] MDB_env* get() const noexcept { return env_; }
  [[nodiscard]] MDB_dbi table_handle(table in) const noexcept {
    return tables_[static_cast<std::size_t>(in)];
  }
  /// False for a table that a database which is open for reading alone does not have.
  [[nodiscard]] bool has_table(table in) const noexcept { return table_handle(in) != no_table; }
  /// The bytes of all pages that the last commit uses; pages that wait to be used again are not
  /// counted. It reads what LMDB keeps of each table, not the tables.
  [[nodiscard]] result<std::uint64_t> used_bytes();
  /// The error of a failed call. `what` begins the sentence: "the commit".
  [[nodiscard]] error explain(int code, const std::string& what) const;

 private:
  static constexpr MDB_dbi no_table = ~MDB_dbi{0};

  environment() = default;

  result<void> prepare(const lmdb_options& options);
  result<void> open_tables(bool read_only);
  result<void> check_pages(bool read_only, std::uintmax_t file_bytes);

  MDB_env* env_ = nullptr;
  std::filesystem::path folder_;
  std::string map_setting_;
  std::array<MDB_dbi, table_names.size()> tables_{};
  bool registered_ = false;
};

/// Whether every page that the last commit reaches is in the file; a file that was cut short would
/// otherwise end the process when such a page is touched. ec::corrupt says what is missing.
[[nodiscard]] result<void> check_complete(environment& env, std::uint64_t file_bytes);

}  // namespace argosy::store
