// SPDX-License-Identifier: Apache-2.0
// Reads the pages of a data file directly, in LMDB's format for 64-bit machines, since a signal
// would end the process if the library touched a page that is not there. Every page carries its own
// number and kind, which are compared.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "runtime/store/lmdb/environment.hpp"

namespace argosy::store {

namespace {

constexpr std::uint16_t branch_page = 0x01;
constexpr std::uint16_t leaf_page = 0x02;
constexpr std::uint16_t overflow_page = 0x04;
constexpr std::uint16_t big_value = 0x01;
constexpr std::uint16_t sub_table = 0x02;
constexpr std::uint64_t no_page = ~std::uint64_t{0};
constexpr std::size_t page_header = 16;
constexpr std::size_t node_header = 8;
/// Where a meta page holds the roots of the list of free pages and of the table of tables, and the
/// number of its commit.
constexpr std::size_t meta_free_root = page_header + 24 + 40;
constexpr std::size_t meta_main_root = page_header + 24 + 48 + 40;
constexpr std::size_t meta_commit = page_header + 24 + 48 + 48 + 8;
constexpr std::size_t table_root = 40;

template <class T>
T read_at(const char* data) {
  T out;
  std::memcpy(&out, data, sizeof out);
  return out;
}

class page_walk {
 public:
  page_walk(int fd, std::size_t page_bytes) : fd_(fd), page_bytes_(page_bytes) {}

  /// Returns whether all pages of the newest commit are there; otherwise `missing` names the first
  /// that is not.
  bool run() {
    std::string metas[2];
    if (!load(0, metas[0]) || !load(1, metas[1])) return false;
    const auto newer = read_at<std::uint64_t>(metas[0].data() + meta_commit) <
                       read_at<std::uint64_t>(metas[1].data() + meta_commit);
    for (const auto root : {meta_free_root, meta_main_root})
      pending_.push_back(read_at<std::uint64_t>(metas[newer].data() + root));
    while (!pending_.empty()) {
      const auto number = pending_.back();
      pending_.pop_back();
      if (number != no_page && !visit(number)) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  bool load(std::uint64_t number, std::string& page) {
    missing_ = number;
    page.resize(page_bytes_);
    const auto at = static_cast<off_t>(number * page_bytes_);
    return ::pread(fd_, page.data(), page_bytes_, at) == static_cast<ssize_t>(page_bytes_) &&
           read_at<std::uint64_t>(page.data()) == number;
  }

  bool visit(std::uint64_t number) {
    std::string page;
    if (!load(number, page)) return false;
    const auto flags = read_at<std::uint16_t>(page.data() + 10);
    const auto lower = read_at<std::uint16_t>(page.data() + 12);
    const bool branch = (flags & branch_page) != 0;
    if ((!branch && (flags & leaf_page) == 0) || lower < page_header || lower > page_bytes_)
      return false;
    for (std::size_t slot = page_header; slot < lower; slot += 2) {
      const std::size_t at = read_at<std::uint16_t>(page.data() + slot);
      if (at + node_header > page_bytes_) return false;
      const char* const node = page.data() + at;
      const std::uint64_t low = read_at<std::uint16_t>(node);
      const std::uint64_t high = read_at<std::uint16_t>(node + 2);
      const std::uint64_t kind = read_at<std::uint16_t>(node + 4);
      const std::size_t value = at + node_header + read_at<std::uint16_t>(node + 6);
      if (branch) {
        pending_.push_back(low | high << 16 | kind << 32);
      } else if ((kind & sub_table) != 0) {
        if (value + table_root + 8 > page_bytes_) return false;
        pending_.push_back(read_at<std::uint64_t>(page.data() + value + table_root));
      } else if ((kind & big_value) != 0) {
        if (value + 8 > page_bytes_) return false;
        const auto bytes = low | high << 16;
        if (!has_value(read_at<std::uint64_t>(page.data() + value), bytes)) return false;
      }
    }
    return true;
  }

  /// A long value lies in pages of its own, of which only the first has a header.
  bool has_value(std::uint64_t number, std::uint64_t bytes) {
    std::string page;
    if (!load(number, page) || (read_at<std::uint16_t>(page.data() + 10) & overflow_page) == 0)
      return false;
    char last = 0;
    const auto end = number * page_bytes_ + page_header + bytes;
    return bytes == 0 || ::pread(fd_, &last, 1, static_cast<off_t>(end - 1)) == 1;
  }

  int fd_;
  std::size_t page_bytes_;
  std::vector<std::uint64_t> pending_;
  std::uint64_t missing_ = 0;
};

}  // namespace

result<void> check_complete(environment& env, std::uint64_t file_bytes) {
  MDB_envinfo info{};
  MDB_stat pages{};
  mdb_env_info(env.get(), &info);
  mdb_env_stat(env.get(), &pages);
  // Usually nothing is missing. A file may rightly be shorter: a commit need not write pages that
  // it took and gave back at once.
  if (file_bytes >= (info.me_last_pgno + 1) * std::uint64_t{pages.ms_psize}) return {};
  int fd = -1;
  if (const int code = mdb_env_get_fd(env.get(), &fd); code != 0)
    return fail(env.explain(code, "the check"));
  page_walk walk{fd, pages.ms_psize};
  if (walk.run()) return {};
  auto err = env.explain(MDB_CORRUPTED, "the check");
  err.detail += "; the file was cut short, page " + std::to_string(walk.missing()) +
                " is missing. Restore a copy, or remove the folder to rebuild it from the log";
  return fail(std::move(err));
}

}  // namespace argosy::store
