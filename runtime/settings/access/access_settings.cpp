// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/access/access_settings.hpp"

#include <algorithm>
#include <set>

#include "runtime/access/password.hpp"
#include "runtime/access/principal.hpp"
#include "runtime/access/tokens/fetch.hpp"
#include "runtime/access/tokens/key_set.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

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
    if (user.name.empty()) return "needs a name for each user";
    if (!seen.insert(user.name).second) return "has '" + user.name + "' twice";
  }
  return std::nullopt;
}

complaint check_mapping(const word_lists& mapping) {
  for (const auto& [name, words] : mapping)
    if (const auto wrong = check_permission(name)) return "has '" + name + "', which " + *wrong;
  return std::nullopt;
}

complaint check_url(const std::string& url) {
  if (url.empty() || access::is_safe_url(url)) return std::nullopt;
  return "must be an https URL, or an http URL on a loopback address";
}

complaint check_algorithms(const std::vector<std::string>& list) {
  if (list.empty()) return "must name at least one algorithm";
  for (const auto& name : list) {
    if (access::parse_algorithm(name)) continue;
    std::string known;
    for (const auto one : access::algorithm_names())
      known += (known.empty() ? "" : ", ") + std::string{one};
    return "has '" + name + "', which is none of " + known;
  }
  return std::nullopt;
}

complaint check_reviewers(const std::vector<reviewer_settings>& list) {
  std::set<std::string> seen;
  for (const auto& one : list) {
    if (one.server.empty()) return "needs a server for each cluster";
    if (!seen.insert(one.key_id).second)
      return one.key_id.empty() ? "has two clusters without keyId"
                                : "has the keyId '" + one.key_id + "' twice";
  }
  return std::nullopt;
}

void describe_permissions(field_table& table, access_settings& item) {
  table.value("access.permissions", item.permissions,
              "Permissions that hold for every queue, and who has them, as [{name: "
              "submit_any_jobs, groups: [admins]}]. Beside groups there may be scopes and claims, "
              "by which the tokens of access.oidc have it. Every caller is in the group everyone. "
              "Without a permission users may do what verbs on a queue allow, and read.");
  table.value("access.permissionGroupMapping", item.by_group,
              "The same in the form of Armada's configuration: the groups that have each "
              "permission, as {submit_any_jobs: [admins]}. What stands here is added to the above.",
              rule<word_lists>{check_mapping});
  table.value("access.permissionScopeMapping", item.by_scope,
              "The scopes of a token that have each permission, in the same form.",
              rule<word_lists>{check_mapping});
  table.value("access.permissionClaimMapping", item.by_claim,
              "The claims whose presence in a token has each permission, in the same form.",
              rule<word_lists>{check_mapping});
}

void describe_oidc(field_table& table, oidc_settings& item) {
  table.section("access.oidc",
                "Users who show a token of an OpenID provider, as `authorization: Bearer TOKEN`.");
  table.value("access.oidc.issuer", item.issuer,
              "The provider's URL, exactly as its tokens have it as `iss`. Its keys are fetched "
              "from there. Empty: no such tokens are taken.",
              rule<std::string>{check_url});
  table.value("access.oidc.audiences", item.audiences,
              "A token has to be meant (`aud`) for one of these, or for clientId.");
  table.value("access.oidc.clientId", item.client_id,
              "The name by which the provider knows Argosy; Armada's clientId. With it readers of "
              "the web page log in at the provider, by authorization code with PKCE. The provider "
              "has to know the page's URL as one to which it may send them back, and to let pages "
              "of that origin call it.");
  table.value("access.oidc.nameClaim", item.name_claim,
              "The claim that is the user's name. Take one that the provider gives to one user "
              "only, and that users cannot change.",
              not_empty());
  table.value("access.oidc.groupsClaim", item.groups_claim,
              "The claim with the list of the user's groups. Empty: tokens give none.");
  table.value("access.oidc.algorithms", item.algorithms,
              "The algorithms by which a token may be signed: RS, PS or ES with 256, 384 or 512, "
              "or EdDSA.",
              rule<std::vector<std::string>>{check_algorithms});
  table.value("access.oidc.clockSkew", item.skew,
              "By how much the provider's clock may differ from this machine's, up to 10m.",
              between<milliseconds>(0s, 10min));
  table.value("access.oidc.caFile", item.ca_file,
              "A file (PEM) with the authorities that may have signed the provider's certificate. "
              "Empty: those of the system, which the package ca-certificates has.");
}

void describe_kubernetes(field_table& table, kubernetes_settings& item) {
  table.section("access.kubernetes",
                "Users who show a token of a cluster of Kubernetes, as `authorization: "
                "KubernetesAuth ...`, which Armada's clients send. The cluster is asked whether it "
                "is good.");
  table.value("access.kubernetes.clusters", item.clusters,
              "The clusters, as [{keyId: ID, server: \"https://10.0.0.1:6443\", caFile: FILE}]. "
              "keyId is the `kid` of the cluster's tokens; one cluster may be without it, and is "
              "asked about all others. The authority that a caller sends is not used.",
              rule<std::vector<reviewer_settings>>{check_reviewers});
  table.value("access.kubernetes.tokenExpiry", item.good_for,
              "How long a token that was good counts as good without another question, from 1s to "
              "1h. A token that its cluster takes back counts for so long.",
              between<milliseconds>(1s, 1h));
  table.value("access.kubernetes.invalidTokenExpiry", item.wrong_for,
              "The same for a token that was not good, from 1s to 1h.",
              between<milliseconds>(1s, 1h));
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

void describe(field_table& table, reviewer_settings& item) {
  table.value("keyId", item.key_id, "");
  table.value("server", item.server, "", rule<std::string>{check_url});
  table.value("caFile", item.ca_file, "");
}

void describe_access(field_table& table, access_settings& item) {
  table.section("access",
                "Who may do what over gRPC and REST, and the tenants of NATS. What other users of "
                "NATS may do follows from their roles, see `argosyd init`.");
  table.value("access.users", item.users,
              "Users and their groups, as [{name: ann, passwordHash: HASH, groups: [staff]}]. Over "
              "gRPC and REST they log in by name and password; `argosyd hash-password` makes the "
              "hash. Keep this file secret then. Over NATS the tenant of the same name has these "
              "groups, and needs no hash. Users of `argosyd init` log in by the password of their "
              "contexts, with the rights of their roles.",
              rule<std::vector<user_settings>>{check_names});
  describe_permissions(table, item);
  describe_oidc(table, item.oidc);
  describe_kubernetes(table, item.kubernetes);
}

void check_access(const access_settings& item, problem_list& problems) {
  const auto& oidc = item.oidc;
  if (oidc.issuer.empty() && (!oidc.audiences.empty() || !oidc.client_id.empty()))
    problems.emplace_back("access.oidc needs an issuer");
  if (!oidc.issuer.empty() && oidc.audiences.empty() && oidc.client_id.empty())
    problems.emplace_back(
        "access.oidc needs audiences or a clientId, or tokens that are meant for other servers "
        "would be good here");
}

}  // namespace argosy::settings
