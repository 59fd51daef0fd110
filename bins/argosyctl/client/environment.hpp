// SPDX-License-Identifier: Apache-2.0
// The environment variables of the process, and the folders that follow from them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

struct environment {
  /// The value of a variable. Empty variables count as not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;

  /// The names of all variables.
  std::function<std::vector<std::string>()> names = [] { return std::vector<std::string>{}; };

  /// The state folder: $XDG_STATE_HOME/argosy or ~/.local/state/argosy.
  [[nodiscard]] std::filesystem::path state_dir() const;
  /// The folder of configurations: $XDG_CONFIG_HOME/argosy or ~/.config/argosy.
  [[nodiscard]] std::filesystem::path config_dir() const;
  [[nodiscard]] std::filesystem::path home() const;
};

[[nodiscard]] environment process_environment();

/// Keeps the job ids of the last submission to this server in the state folder, one a line, for
/// "@last". `server` is its URL without a secret. A failure to write is an error that callers may
/// pass over.
result<void> remember_submission(const environment& env, std::string_view server,
                                 std::string_view id_lines);
/// The job ids of the last submission to this server. ec::not_found when there was none.
[[nodiscard]] result<std::string> last_submission(const environment& env, std::string_view server);

/// The file's content. ec::not_found; ec::invalid_argument when it is unreadable or has over
/// `size_max` bytes.
[[nodiscard]] result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t size_max);

}  // namespace argosy::ctl
