// SPDX-License-Identifier: Apache-2.0
// What an environment knows of its readers and of the pages that they keep, and its upkeep.
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <sstream>
#include <utility>

#include "runtime/store/lmdb/environment.hpp"

namespace argosy::store {

namespace {

/// LMDB's own table of the pages that each commit has freed.
constexpr MDB_dbi free_table = 0;

/// Reads the lines of mdb_reader_list(), which are "PROCESS THREAD COMMIT" below a title; the
/// commit is "-" for a reader without a transaction.
std::vector<reader> parse_readers(const std::string& text) {
  std::vector<reader> out;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    reader one;
    if (words >> one.process >> one.thread >> one.commit) out.push_back(std::move(one));
  }
  std::ranges::sort(out, {}, &reader::commit);
  return out;
}

int add_text(const char* text, void* to) {
  *static_cast<std::string*>(to) += text;
  return 0;
}

/// Calls `each` with the commits from `since` on that have freed pages, and how many.
int walk_freed(MDB_txn* txn, std::uint64_t since,
               const std::function<void(std::uint64_t commit, std::uint64_t pages)>& each) {
  MDB_cursor* at = nullptr;
  if (const int code = mdb_cursor_open(txn, free_table, &at); code != 0) return code;
  std::size_t from = since;
  MDB_val key{sizeof from, &from};
  MDB_val pages{};
  int code = mdb_cursor_get(at, &key, &pages, MDB_SET_RANGE);
  for (; code == 0; code = mdb_cursor_get(at, &key, &pages, MDB_NEXT)) {
    std::size_t commit = 0;
    std::size_t count = 0;  // The list of pages begins with their number.
    std::memcpy(&commit, key.mv_data, sizeof commit);
    std::memcpy(&count, pages.mv_data, sizeof count);
    each(commit, count);
  }
  mdb_cursor_close(at);
  return code == MDB_NOTFOUND ? 0 : code;
}

}  // namespace

void environment::reserve_room() {
  constexpr std::uint64_t wanted_max = 16u << 20;
  constexpr std::uint64_t part_of_disk = 16;
  std::error_code unknown;
  const auto disk = std::filesystem::space(folder_, unknown);
  MDB_envinfo info{};
  MDB_stat pages{};
  mdb_env_info(env_, &info);
  mdb_env_stat(env_, &pages);
  int fd = -1;
  const auto wanted = unknown ? 0 : std::min(wanted_max, disk.capacity / part_of_disk);
  const auto end = (info.me_last_pgno + 1) * std::uint64_t{pages.ms_psize};
  if (wanted == 0 || end + wanted / 2 <= reserved_to_ || mdb_env_get_fd(env_, &fd) != 0) return;
  // On a full disk, or where the file system cannot, things stay as they are.
  if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(end), static_cast<off_t>(wanted)) ==
      0)
    reserved_to_ = end + wanted;
}

void environment::upkeep() {
  constexpr std::chrono::seconds period{1};
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + period;
  // If it fails, the pages stay held, which the next look may mend.
  int dead = 0;
  mdb_reader_check(env_, &dead);
  reserve_room();
}

result<std::uint64_t> environment::held_bytes() {
  std::string text;
  if (mdb_reader_list(env_, add_text, &text) < 0)
    return fail(ec::internal,
                "the readers of the database in '" + folder_.string() + "' cannot be listed");
  const auto all = parse_readers(text);
  const std::lock_guard lock{held_mutex_};
  if (all.empty()) {
    held_since_ = 0;
    return std::uint64_t{0};
  }
  const auto oldest = all.front().commit;
  // What a commit from the oldest reader on has freed stays as it is while that reader lives.
  if (held_since_ != oldest) {
    held_since_ = oldest;
    counted_to_ = oldest == 0 ? 0 : oldest - 1;
    held_pages_ = 0;
  }
  MDB_txn* txn = nullptr;
  if (const int code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); code != 0)
    return fail(explain(code, "a read transaction"));
  const int code = walk_freed(txn, counted_to_ + 1, [&](std::uint64_t commit, std::uint64_t pages) {
    counted_to_ = commit;
    held_pages_ += pages;
  });
  MDB_stat sizes{};
  mdb_env_stat(env_, &sizes);
  mdb_txn_abort(txn);
  if (code != 0) return fail(explain(code, "the list of free pages"));
  return held_pages_ * sizes.ms_psize;
}

result<std::vector<reader>> environment::readers() {
  std::string text;
  if (mdb_reader_list(env_, add_text, &text) < 0)
    return fail(ec::internal,
                "the readers of the database in '" + folder_.string() + "' cannot be listed");
  auto out = parse_readers(text);
  if (out.empty()) return out;
  MDB_txn* txn = nullptr;
  if (const int code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); code != 0)
    return fail(explain(code, "a read transaction"));
  MDB_stat sizes{};
  mdb_env_stat(env_, &sizes);
  const int code =
      walk_freed(txn, out.front().commit, [&](std::uint64_t commit, std::uint64_t pages) {
        for (auto& one : out)
          if (one.commit <= commit) one.held_bytes += pages * sizes.ms_psize;
      });
  mdb_txn_abort(txn);
  if (code != 0) return fail(explain(code, "the list of free pages"));
  return out;
}

}  // namespace argosy::store
