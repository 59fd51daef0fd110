// SPDX-License-Identifier: Apache-2.0
// The section `access` of argosyd's settings: which users there are over the transports that
// argosyd serves by itself, and which permissions they have.
#pragma once

#include <string>
#include <vector>

#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

struct user_settings {
  std::string name;
  std::string password_hash;
  std::vector<std::string> groups;
};

/// Who has the permission of this name: whoever has one of these.
struct permission_settings {
  std::string name;
  std::vector<std::string> groups;
  std::vector<std::string> scopes;
  std::vector<std::string> claims;
};

struct access_settings {
  std::vector<user_settings> users;
  std::vector<permission_settings> permissions;
};

void describe(field_table& table, user_settings& item);
void describe(field_table& table, permission_settings& item);
void describe_access(field_table& table, access_settings& item);

}  // namespace argosy::settings
