// SPDX-License-Identifier: Apache-2.0
// This file declares the section `access` of argosyd's settings: who the callers of the API
// may be, and which permissions they have for every queue.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

struct user_settings {
  std::string name;
  std::string password_hash;  ///< Empty: he cannot log in by a password.
  std::vector<std::string> groups;
};

/// Who has the permission of this name: whoever has one of these.
struct permission_settings {
  std::string name;
  std::vector<std::string> groups;
  std::vector<std::string> scopes;
  std::vector<std::string> claims;
};

/// Tokens of an OpenID provider.
struct oidc_settings {
  std::string issuer;  ///< Empty: no such tokens are taken.
  std::vector<std::string> audiences;
  std::string client_id;
  std::string name_claim = "sub";
  std::string groups_claim = "groups";
  std::vector<std::string> algorithms{"RS256", "ES256"};
  std::chrono::milliseconds skew{30'000};
  std::string ca_file;
};

/// A cluster of Kubernetes that is asked about tokens.
struct reviewer_settings {
  std::string key_id;
  std::string server;
  std::string ca_file;
};

struct kubernetes_settings {
  std::vector<reviewer_settings> clusters;
  std::chrono::milliseconds good_for{300'000};
  std::chrono::milliseconds wrong_for{60'000};
};

struct access_settings {
  std::vector<user_settings> users;
  std::vector<permission_settings> permissions;
  /// Armada's way to say the same: groups, scopes and claims by permission.
  word_lists by_group;
  word_lists by_scope;
  word_lists by_claim;
  oidc_settings oidc;
  kubernetes_settings kubernetes;
};

void describe(field_table& table, user_settings& item);
void describe(field_table& table, permission_settings& item);
void describe(field_table& table, reviewer_settings& item);
void describe_access(field_table& table, access_settings& item);
/// Checks the rules between keys of this section.
void check_access(const access_settings& item, problem_list& problems);

}  // namespace argosy::settings
