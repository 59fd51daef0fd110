// SPDX-License-Identifier: Apache-2.0
// A folder that is gone when the test ends.
#pragma once

#include <filesystem>
#include <string>

namespace argosy::testing {

class temp_folder {
 public:
  temp_folder();
  ~temp_folder();
  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace argosy::testing
