// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/retention.hpp"

namespace argosy::backends {

namespace fs = std::filesystem;

retention::retention(fs::path runs_dir, std::size_t runs_max, std::int64_t bytes_max)
    : runs_dir_(std::move(runs_dir)), runs_max_(runs_max), bytes_max_(bytes_max) {}

void retention::add(const model::run_key& run) {
  const auto folder = runs_dir_ / to_string(run);
  std::error_code code;
  if (!fs::exists(folder, code) || !known_.insert(run).second) return;
  const auto bytes = folder_bytes(folder);
  runs_.push_back({run, bytes});
  bytes_ += bytes;
  while (runs_.size() > runs_max_ || (bytes_ > bytes_max_ && runs_.size() > 1)) remove_oldest();
}

void retention::remove_oldest() {
  const auto& oldest = runs_.front();
  remove_tree(runs_dir_ / to_string(oldest.run));
  bytes_ -= oldest.bytes;
  known_.erase(oldest.run);
  runs_.pop_front();
}

void retention::shed(const std::function<bool()>& enough) {
  while (!runs_.empty() && !enough()) remove_oldest();
}

std::int64_t folder_bytes(const fs::path& folder) {
  std::int64_t sum = 0;
  std::error_code code;
  for (fs::recursive_directory_iterator it{folder, code}, end; !code && it != end;
       it.increment(code)) {
    std::error_code ignored;
    if (!it->is_symlink(ignored) && it->is_regular_file(ignored))
      sum += static_cast<std::int64_t>(it->file_size(ignored));
  }
  return sum;
}

void remove_tree(const fs::path& path) {
  std::error_code code;
  for (fs::recursive_directory_iterator
           it{path, fs::directory_options::skip_permission_denied, code},
       end;
       !code && it != end; it.increment(code)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && !it->is_symlink(ignored))
      fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
  }
  fs::remove_all(path, code);
}

}  // namespace argosy::backends
