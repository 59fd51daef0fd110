// SPDX-License-Identifier: Apache-2.0
// The opened LMDB environment, and what LMDB's error codes mean. Internal to the store.
#pragma once

#include <lmdb.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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
  /// The bytes of all pages that were freed and that some reader keeps from being used again. It
  /// reads what was freed since the last call.
  [[nodiscard]] result<std::uint64_t> held_bytes();
  [[nodiscard]] result<std::vector<reader>> readers();
  /// What the writer does now and then, at most once a second. It forgets readers whose process has
  /// ended, which would keep pages from being used again, and has the file system keep some room
  /// behind the end of the file, so that a few commits find room on a disk that others have filled.
  void upkeep();
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  /// The error of a failed call. `what` begins the sentence: "the commit".
  [[nodiscard]] error explain(int code, const std::string& what) const;

 private:
  static constexpr MDB_dbi no_table = ~MDB_dbi{0};

  environment() = default;

  [[nodiscard]] result<void> reserve_lock_file(unsigned max_readers) const;
  result<void> prepare(const lmdb_options& options);
  result<void> open_tables(bool read_only);
  result<void> check_pages(bool read_only, std::uintmax_t file_bytes);
  void reserve_room();

  MDB_env* env_ = nullptr;
  std::filesystem::path folder_;
  std::string map_setting_;
  std::array<MDB_dbi, table_names.size()> tables_{};
  bool registered_ = false;
  std::mutex held_mutex_;
  std::uint64_t held_since_ = 0;  ///< The commit of the oldest reader at the last count.
  std::uint64_t counted_to_ = 0;  ///< The last commit whose freed pages are in held_pages_.
  std::uint64_t held_pages_ = 0;
  std::chrono::steady_clock::time_point next_look_{};  ///< Used by the writer alone, as the next.
  std::uint64_t reserved_to_ = 0;  ///< Up to there the file system keeps room for the file.
};

/// Whether every page that the last commit reaches is in the file; a file that was cut short would
/// otherwise end the process when such a page is touched. ec::corrupt says what is missing.
[[nodiscard]] result<void> check_complete(environment& env, std::uint64_t file_bytes);

}  // namespace argosy::store
