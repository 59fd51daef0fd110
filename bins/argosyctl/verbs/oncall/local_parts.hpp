// SPDX-License-Identifier: Apache-2.0
// A support bundle has the facts of this machine, and what argosyd has left in its data directory,
// for when nobody answers. Keys, credentials, jobs and their output are never read.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

struct local_part {
  std::string name;
  std::string content;
};

struct local_parts {
  std::vector<local_part> found;
  /// Each line says what is missing and why.
  std::vector<std::string> missing;
};

/// Reads kernel, distribution, memory, load and disks of this machine. `folder` is one whose disk
/// counts; it may be empty.
[[nodiscard]] local_part machine_part(const std::string& folder);

/// Reads what helps of argosyd's data directory and of its log file; `log_file` may be empty.
[[nodiscard]] local_parts data_dir_parts(const std::string& folder, const std::string& log_file);

}  // namespace argosy::ctl
