// SPDX-License-Identifier: Apache-2.0
#include "runtime/store/lmdb/environment.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace argosy::store {

namespace {

/// LMDB breaks its own locks when one process opens a folder twice.
std::mutex open_mutex;
std::set<std::filesystem::path> open_folders;

ec code_of(int code) {
  switch (code) {
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case ENOSPC:
    case EDQUOT:
      return ec::out_of_space;
    case MDB_CORRUPTED:
    case MDB_INVALID:
    case MDB_PAGE_NOTFOUND:
    case MDB_VERSION_MISMATCH:
    case MDB_CURSOR_FULL:
    case MDB_INCOMPATIBLE:
      return ec::corrupt;
    case MDB_READERS_FULL:
      return ec::overloaded;
    case MDB_BAD_VALSIZE:
      return ec::invalid_argument;
    case EACCES:
    case EPERM:
    case EROFS:
      return ec::denied;
    default:
      return ec::internal;
  }
}

result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), failed);
  if (!failed && (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST)) return {};
  const int why = failed ? failed.value() : errno;
  return fail(code_of(why), "cannot create the database folder '" + folder.string() +
                                "': " + std::system_category().message(why));
}

/// LMDB says EIO when the file system takes only a part of a page.
bool disk_is_full(int code, const std::filesystem::path& folder) {
  constexpr std::uintmax_t full_below = 1u << 20;
  std::error_code unknown;
  const auto room = std::filesystem::space(folder, unknown);
  return code == ENOSPC || (code == EIO && !unknown && room.available < full_below);
}

}  // namespace

error environment::explain(int code, const std::string& what) const {
  if (disk_is_full(code, folder_))
    return {ec::out_of_space, what + " of the database in '" + folder_.string() +
                                  "': the disk is full; make room on it"};
  auto detail = what + " of the database in '" + folder_.string() + "': " + mdb_strerror(code);
  if (code == MDB_MAP_FULL) {
    MDB_envinfo info{};
    mdb_env_info(env_, &info);
    detail += "; its limit is " + std::to_string(info.me_mapsize) + " bytes";
    if (!map_setting_.empty()) detail += ": raise " + map_setting_ + " and start again";
  }
  return {code_of(code), std::move(detail)};
}

result<std::shared_ptr<environment>> environment::open(const lmdb_options& options) {
  std::shared_ptr<environment> made{new environment};
  made->map_setting_ = options.map_setting;
  std::error_code failed;
  if (options.read_only && !std::filesystem::exists(options.folder / "data.mdb", failed))
    return fail(ec::not_found, "there is no database in '" + options.folder.string() + "'");
  if (!options.read_only)
    if (auto ok = make_folder(options.folder); !ok) return fail(std::move(ok.error()));
  made->folder_ = std::filesystem::canonical(options.folder, failed);
  if (failed)
    return fail(ec::internal,
                "cannot resolve '" + options.folder.string() + "': " + failed.message());
  {
    const std::lock_guard lock{open_mutex};
    if (!open_folders.insert(made->folder_).second)
      return fail(ec::conflict,
                  "this process has the database in '" + made->folder_.string() + "' open already");
    made->registered_ = true;
  }
  if (auto ok = made->prepare(options); !ok) return fail(std::move(ok.error()));
  return made;
}

/// Makes the file of locks as long as LMDB is about to, if it is not there. LMDB maps it without
/// taking room on the disk, and the process would end by a signal when it is written.
result<void> environment::reserve_lock_file(unsigned max_readers) const {
  constexpr off_t slot = 64;
  const auto bytes = slot * (off_t{2} + static_cast<off_t>(max_readers));
  const auto path = folder_ / "lock.mdb";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  // LMDB says why.
  if (file < 0) return {};
  struct stat found {};
  const bool is_new = ::fstat(file, &found) == 0 && found.st_size < bytes;
  const int failed = is_new ? ::posix_fallocate(file, 0, bytes) : 0;
  // A file of half the length would be taken for one of fewer readers.
  if (failed != 0) static_cast<void>(::ftruncate(file, found.st_size));
  ::close(file);
  return failed == 0 ? result<void>{} : fail(explain(failed, "the file of locks"));
}

result<void> environment::prepare(const lmdb_options& options) {
  if (!options.read_only)
    if (auto ok = reserve_lock_file(options.max_readers); !ok) return ok;
  if (const int code = mdb_env_create(&env_); code != 0) return fail(explain(code, "the opening"));
  const auto file = folder_ / "data.mdb";
  std::error_code absent;
  const auto file_bytes = std::filesystem::file_size(file, absent);
  // Readers are bound to their transaction, not to a thread, since actors change threads.
  const unsigned flags = MDB_NOTLS | (options.no_meta_sync ? MDB_NOMETASYNC : 0u) |
                         (options.read_only ? MDB_RDONLY : 0u);
  int code = mdb_env_set_mapsize(env_, options.map_bytes);
  if (code == 0) code = mdb_env_set_maxdbs(env_, table_names.size());
  if (code == 0) code = mdb_env_set_maxreaders(env_, options.max_readers);
  if (code == 0) code = mdb_env_open(env_, folder_.c_str(), flags, 0600);
  if (code != 0) return fail(explain(code, "the opening"));
  if (!absent)
    if (auto ok = check_pages(options.read_only, file_bytes); !ok) return ok;
  // Readers of a process that was killed would keep old pages from being used again.
  if (code = mdb_reader_check(env_, nullptr); code != 0)
    return fail(explain(code, "the check for dead readers"));
  return open_tables(options.read_only);
}

result<void> environment::check_pages(bool read_only, std::uintmax_t file_bytes) {
  if (!read_only) return check_complete(*this, file_bytes);
  // Another process may write meanwhile: what the file has now is compared, and the transaction
  // keeps the pages of the newest commit from being used again.
  MDB_txn* txn = nullptr;
  if (const int code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); code != 0)
    return fail(explain(code, "a read transaction"));
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(folder_ / "data.mdb", unknown);
  auto complete = unknown ? result<void>{} : check_complete(*this, bytes);
  mdb_txn_abort(txn);
  return complete;
}

result<void> environment::open_tables(bool read_only) {
  MDB_txn* txn = nullptr;
  if (const int code = mdb_txn_begin(env_, nullptr, read_only ? MDB_RDONLY : 0u, &txn); code != 0)
    return fail(explain(code, "the first transaction"));
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::string name{table_names[i]};
    const int code = mdb_dbi_open(txn, name.c_str(), read_only ? 0u : MDB_CREATE, &tables_[i]);
    if (read_only && code == MDB_NOTFOUND) {
      tables_[i] = no_table;
    } else if (code != 0) {
      mdb_txn_abort(txn);
      return fail(explain(code, "the table '" + name + "'"));
    }
  }
  if (const int code = mdb_txn_commit(txn); code != 0)
    return fail(explain(code, "the first commit"));
  return {};
}

result<std::uint64_t> environment::used_bytes() {
  MDB_txn* txn = nullptr;
  if (const int code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); code != 0)
    return fail(explain(code, "a read transaction"));
  constexpr std::uint64_t meta_pages = 2;
  // LMDB's own tables are that of the free pages and that of the names.
  constexpr MDB_dbi own_tables = 2;
  std::uint64_t pages = meta_pages;
  std::uint64_t page_bytes = 0;
  const auto add = [&](MDB_dbi table) {
    MDB_stat found{};
    const int code = mdb_stat(txn, table, &found);
    pages += found.ms_branch_pages + found.ms_leaf_pages + found.ms_overflow_pages;
    page_bytes = found.ms_psize;
    return code;
  };
  int failed = 0;
  for (MDB_dbi table = 0; table < own_tables && failed == 0; ++table) failed = add(table);
  for (std::size_t i = 0; i < tables_.size() && failed == 0; ++i)
    if (tables_[i] != no_table) failed = add(tables_[i]);
  mdb_txn_abort(txn);
  if (failed != 0) return fail(explain(failed, "the size"));
  return pages * page_bytes;
}

environment::~environment() {
  if (env_ != nullptr) mdb_env_close(env_);
  if (!registered_) return;
  const std::lock_guard lock{open_mutex};
  open_folders.erase(folder_);
}

}  // namespace argosy::store
