// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/data_dir.hpp"

#include <chrono>
#include <thread>

namespace argosy {

result<store::data_dir> open_data_dir(const std::filesystem::path& path,
                                      const std::function<void()>& pause) {
  constexpr int tries = 20;
  for (int i = 1;; ++i) {
    auto opened = store::data_dir::open(path);
    if (opened || opened.error().code != ec::conflict || i == tries) return opened;
    pause();
  }
}

result<store::data_dir> open_data_dir(const std::filesystem::path& path) {
  return open_data_dir(path, [] { std::this_thread::sleep_for(std::chrono::milliseconds{50}); });
}

}  // namespace argosy
