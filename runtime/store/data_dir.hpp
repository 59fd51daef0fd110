// SPDX-License-Identifier: Apache-2.0
// The data directory of one process, and the lock that keeps a second process out of it.
#pragma once

#include <filesystem>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::store {

/// An open data directory. It holds the lock until it is destroyed or the process ends in any way.
class data_dir {
 public:
  /// Opens the directory, and creates it (mode 0700) and its parents if they are not there. Fails
  /// with ec::conflict, naming the process that holds it; with ec::denied, also when others could
  /// write into it; with ec::out_of_space; and with ec::invalid_argument when the path is no
  /// directory. All messages name the path.
  [[nodiscard]] static result<data_dir> open(const std::filesystem::path& path);

  /// Whether a process has the directory open. It takes the lock for an instant and makes nothing.
  [[nodiscard]] static bool is_in_use(const std::filesystem::path& path);

  data_dir(data_dir&& other) noexcept;
  data_dir& operator=(data_dir&& other) noexcept;
  ~data_dir();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// A folder inside the directory (mode 0700), created if it is not there.
  [[nodiscard]] result<std::filesystem::path> folder(std::string_view name) const;

 private:
  data_dir(std::filesystem::path path, int lock_fd);

  std::filesystem::path path_;
  int lock_fd_ = -1;
};

}  // namespace argosy::store
