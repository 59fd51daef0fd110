// SPDX-License-Identifier: Apache-2.0
// This file declares who logs in by name and password: the users of the settings, and those whom
// `argosyd init` gave a key, by the password that follows from it and with the rights of their
// roles.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/access/basic_users.hpp"
#include "runtime/settings/api_settings.hpp"

namespace argosy::argosyd {

/// Safe from any thread.
class password_users {
 public:
  /// `members` is the file in which `argosyd init` keeps the members; empty: there is none.
  password_users(const settings::access_settings& access,
                 std::vector<access::permission_rule> rules, std::filesystem::path members);

  /// Returns the users of this moment, since the file of the members may have changed. Null: there
  /// are none.
  [[nodiscard]] std::shared_ptr<access::basic_users> now();

 private:
  [[nodiscard]] std::vector<access::basic_user> read_members() const;

  const std::vector<settings::user_settings> listed_;
  const std::vector<access::permission_rule> rules_;
  const std::filesystem::path members_;
  std::mutex guard_;  ///< Guards what follows.
  struct stat seen_ {};
  bool is_read_ = false;
  std::shared_ptr<access::basic_users> users_;
};

}  // namespace argosy::argosyd
