// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/access_settings.hpp"

#include <set>

#include "runtime/access/password.hpp"
#include "runtime/access/principal.hpp"
#include "runtime/settings/units.hpp"

namespace argosy::settings {

namespace {

/// The groups of a caller travel in a header of limited size.
constexpr std::size_t group_bytes_max = 8'000;

complaint check_group_sizes(const std::vector<std::string>& groups) {
  std::size_t bytes = 0;
  for (const auto& group : groups) {
    if (group.empty() || group.find('\n') != std::string::npos)
      return "must have no empty name and no line break";
    bytes += group.size() + 1;
  }
  if (bytes > group_bytes_max) return "must have less than 8000 bytes in all";
  return std::nullopt;
}

complaint check_user_name(const std::string& name) {
  if (name.empty() || name.find(':') != std::string::npos || name == access::anonymous)
    return "must not be empty or 'anonymous', and has no ':'";
  return std::nullopt;
}

complaint check_hash(const std::string& hash) {
  if (access::is_password_hash(hash)) return std::nullopt;
  return "must be what `argosyd hash-password` prints";
}

complaint check_permission(const std::string& name) {
  if (access::parse_permission(name)) return std::nullopt;
  std::string known;
  for (std::size_t i = 0; i < access::permission_count; ++i)
    known += (i == 0 ? "" : ", ") + std::string{to_string(static_cast<access::permission>(i))};
  return "is no permission; there are " + known;
}

complaint check_names(const std::vector<user_settings>& users) {
  std::set<std::string> seen;
  for (const auto& user : users) {
    if (user.name.empty() || user.password_hash.empty()) return "needs name and passwordHash";
    if (!seen.insert(user.name).second) return "has '" + user.name + "' twice";
  }
  return std::nullopt;
}

}  // namespace

void describe(field_table& table, user_settings& item) {
  table.value("name", item.name, "", rule<std::string>{check_user_name});
  table.value("passwordHash", item.password_hash, "", rule<std::string>{check_hash});
  table.value("groups", item.groups, "", rule<std::vector<std::string>>{check_group_sizes});
}

void describe(field_table& table, permission_settings& item) {
  table.value("name", item.name, "", rule<std::string>{check_permission});
  table.value("groups", item.groups, "");
  table.value("scopes", item.scopes, "");
  table.value("claims", item.claims, "");
}

void describe_access(field_table& table, access_settings& item) {
  table.section("access",
                "Who may do what over gRPC. What users of NATS may do follows from their roles, "
                "see `argosyd init`.");
  table.value("access.users", item.users,
              "Users who log in by name and password, as [{name: ann, passwordHash: HASH, groups: "
              "[staff]}]. `argosyd hash-password` makes the hash. Keep this file secret then.",
              rule<std::vector<user_settings>>{check_names});
  table.value("access.permissions", item.permissions,
              "Permissions that hold for every queue, and who has them, as [{name: "
              "submit_any_jobs, groups: [admins]}]. Every caller is in the group everyone. Without "
              "a permission users may do what verbs on a queue allow, and read.");
}

}  // namespace argosy::settings
