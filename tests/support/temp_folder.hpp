// SPDX-License-Identifier: Apache-2.0
// A folder that is gone when the test ends. All of it is in the header, so that its users need no
// library.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace argosy::testing {

class temp_folder {
 public:
  /// Makes the folder; aborts if there is no room for one.
  temp_folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "argosy-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ::abort();
    path_ = pattern;
  }
  ~temp_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace argosy::testing
