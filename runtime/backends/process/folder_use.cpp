// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/folder_use.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

namespace {

struct close_folder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};
using open_folder = std::unique_ptr<DIR, close_folder>;

open_folder open_below(int parent, const char* name) {
  unique_fd fd{
      ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!fd) return nullptr;
  open_folder out{::fdopendir(fd.get())};
  if (out) static_cast<void>(fd.release());
  return out;
}

class walk {
 public:
  walk(const storage_use& enough, const std::atomic<bool>& cancelled)
      : enough_(enough), cancelled_(cancelled) {}

  folder_use count(const char* folder) {
    struct stat root {};
    auto top = open_below(AT_FDCWD, folder);
    if (!top || ::fstat(::dirfd(top.get()), &root) != 0) return {};
    device_ = root.st_dev;
    open_.push_back(std::move(top));
    while (!open_.empty() && !is_enough() && !cancelled_) step();
    return out_;
  }

 private:
  [[nodiscard]] bool is_enough() const {
    return (enough_.bytes > 0 && out_.used.bytes > enough_.bytes) ||
           (enough_.files > 0 && out_.used.files > enough_.files);
  }

  void step() {
    const int folder = ::dirfd(open_.back().get());
    const auto* entry = ::readdir(open_.back().get());
    if (entry == nullptr) return open_.pop_back();
    const std::string_view name{entry->d_name};
    struct stat info {};
    if (name == "." || name == ".." ||
        ::fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_dev != device_)
      return;
    const bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && info.st_nlink > 1 && !linked_.insert(info.st_ino).second) return;
    ++out_.used.files;
    out_.used.bytes += stored_bytes(info);
    if (is_folder) enter(folder, entry->d_name);
  }

  void enter(int parent, const char* name) {
    if (open_.size() == folder_depth_max) {
      out_.too_deep = true;
      return;
    }
    if (auto below = open_below(parent, name)) open_.push_back(std::move(below));
  }

  storage_use enough_;
  const std::atomic<bool>& cancelled_;
  folder_use out_;
  dev_t device_ = 0;
  std::vector<open_folder> open_;
  std::unordered_set<ino_t> linked_;  ///< The files with several names that were counted.
};

}  // namespace

std::int64_t stored_bytes(const struct stat& file) noexcept {
  // st_blocks counts in this unit on every file system.
  constexpr std::int64_t block_size = 512;
  return static_cast<std::int64_t>(file.st_blocks) * block_size;
}

folder_use use_of_folder(const std::filesystem::path& folder, const storage_use& enough,
                         const std::atomic<bool>& cancelled) {
  return walk{enough, cancelled}.count(folder.c_str());
}

}  // namespace argosy::backends
