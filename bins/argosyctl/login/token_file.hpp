// SPDX-License-Identifier: Apache-2.0
// The file in which the token of a context is kept between two calls of argosyctl. Only its owner
// can read it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bins/argosyctl/client/environment.hpp"
#include "bins/argosyctl/login/provider.hpp"

namespace argosy::ctl {

/// $XDG_STATE_HOME/argosy/tokens/NAME. No two names have the same file. ec::invalid_argument for a
/// name that is too long for one.
[[nodiscard]] result<std::filesystem::path> token_file(const environment& env,
                                                       std::string_view context_name);

/// Reads the token; nothing if there is none, or it is of another provider or client. ec::denied
/// for a file that others can read.
[[nodiscard]] result<std::optional<login_token>> read_token(const std::filesystem::path& file,
                                                            const context& from);
/// Replaces the file at once, with mode 0600.
[[nodiscard]] result<void> write_token(const std::filesystem::path& file, const context& from,
                                       const login_token& token);

/// Removes the token of a context, or moves it to the context's new name; what is not there stays
/// so.
void forget_token(const environment& env, std::string_view context_name);
void move_token(const environment& env, std::string_view from, std::string_view to);

/// Keeps other processes from renewing the same token, for as long as it lives.
class token_lock {
 public:
  explicit token_lock(const std::filesystem::path& file);
  ~token_lock();
  token_lock(const token_lock&) = delete;
  token_lock& operator=(const token_lock&) = delete;

 private:
  int fd_;  ///< Negative: it could not be locked, so that nobody is kept.
};

}  // namespace argosy::ctl
