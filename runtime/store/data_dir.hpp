// SPDX-License-Identifier: Apache-2.0
// The data directory of one process, and the lock that keeps a second process out of it.
#pragma once

#include <filesystem>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::store {

/// Holds the lock until destroyed, or until the process ends in whatever way.
class data_dir {
 public:
  /// Creates the directory (mode 0700) and its parents if need be. ec::conflict names the directory
  /// and the process that holds it; ec::denied (also when others could write into it),
  /// ec::out_of_space and ec::invalid_argument (not a directory) name the path.
  [[nodiscard]] static result<data_dir> open(const std::filesystem::path& path);

  data_dir(data_dir&& other) noexcept;
  data_dir& operator=(data_dir&& other) noexcept;
  ~data_dir();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// A folder inside (mode 0700), created if need be.
  [[nodiscard]] result<std::filesystem::path> folder(std::string_view name) const;

 private:
  data_dir(std::filesystem::path path, int lock_fd);

  std::filesystem::path path_;
  int lock_fd_ = -1;
};

}  // namespace argosy::store
