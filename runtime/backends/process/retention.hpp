// SPDX-License-Identifier: Apache-2.0
// This file tells which folders of ended runs are kept: the youngest, up to a number and a size.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <unordered_set>

#include "runtime/model/job.hpp"

namespace argosy::backends {

class retention {
 public:
  retention(std::filesystem::path runs_dir, std::size_t runs_max, std::int64_t bytes_max);

  /// Allows a run's folder to be removed from now on, and removes the folders beyond the bounds.
  /// Runs are given oldest first.
  void add(const model::run_key& run);

  /// Removes the oldest folders until the condition holds, or none is left.
  void shed(const std::function<bool()>& enough);

  /// The number of folders that are kept.
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

 private:
  void remove_oldest();

  struct kept {
    model::run_key run;
    std::int64_t bytes = 0;
  };

  std::filesystem::path runs_dir_;
  std::size_t runs_max_;
  std::int64_t bytes_max_;
  std::int64_t bytes_ = 0;
  std::deque<kept> runs_;
  std::unordered_set<model::run_key> known_;
};

/// The size of the files in a folder and below, in bytes.
[[nodiscard]] std::int64_t folder_bytes(const std::filesystem::path& folder);

/// Removes a folder in which nobody is at work any more, also where modes keep its owner from what
/// is below, as those of an overlay's own folder do.
void remove_tree(const std::filesystem::path& path);

}  // namespace argosy::backends
