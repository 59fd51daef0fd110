// SPDX-License-Identifier: Apache-2.0
// Goal: who is let in is read as it is written, and a mistake in it is told before anybody is.
// Method: sections `access` as texts.
#include <gmock/gmock.h>

#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

result<loaded<argosyd_settings>> load_access(const std::string& text) {
  sources from;
  from.file = {"f.yaml", "access:\n" + text};
  return load_argosyd(from);
}

std::string mistake_in(const std::string& text) {
  const auto got = load_access(text);
  return got ? "accepted" : got.error().detail;
}

TEST(access_section, takes_an_openid_provider) {
  const auto all = load_access(
      "  oidc:\n"
      "    issuer: https://login.example.com/realms/a\n"
      "    audiences: [argosy, batch]\n"
      "    nameClaim: email\n"
      "    groupsClaim: roles\n"
      "    algorithms: [PS256, EdDSA]\n"
      "    clockSkew: 1m\n"
      "    caFile: /etc/ca.pem\n");
  ASSERT_TRUE(all) << all.error().detail;
  const auto& oidc = all->value.access.oidc;
  EXPECT_EQ(oidc.issuer, "https://login.example.com/realms/a");
  EXPECT_THAT(oidc.audiences, ElementsAre("argosy", "batch"));
  EXPECT_EQ(oidc.name_claim, "email");
  EXPECT_EQ(oidc.groups_claim, "roles");
  EXPECT_THAT(oidc.algorithms, ElementsAre("PS256", "EdDSA"));
  EXPECT_EQ(oidc.skew, 1min);
  EXPECT_EQ(oidc.ca_file, "/etc/ca.pem");
}

TEST(access_section, refuses_a_provider_that_would_let_in_too_many) {
  EXPECT_THAT(mistake_in("  oidc: {issuer: \"https://x\"}\n"),
              HasSubstr("access.oidc needs audiences or a clientId"));
  EXPECT_THAT(mistake_in("  oidc: {clientId: a}\n"), HasSubstr("access.oidc needs an issuer"));
  EXPECT_THAT(mistake_in("  oidc: {issuer: \"http://login.example.com\", clientId: a}\n"),
              HasSubstr("access.oidc.issuer: must be an https URL"));
  EXPECT_EQ(mistake_in("  oidc: {issuer: \"http://127.0.0.1:80\", clientId: a}\n"), "accepted");
  for (const auto* const name : {"none", "HS256", "rs256"})
    EXPECT_THAT(mistake_in("  oidc: {algorithms: [" + std::string{name} + "]}\n"),
                HasSubstr("has '" + std::string{name} + "', which is none of RS256, RS384"));
  EXPECT_THAT(mistake_in("  oidc: {algorithms: []}\n"), HasSubstr("must name at least one"));
  EXPECT_THAT(mistake_in("  oidc: {nameClaim: \"\"}\n"), HasSubstr("access.oidc.nameClaim"));
  EXPECT_THAT(mistake_in("  oidc: {clockSkew: 11m}\n"), HasSubstr("from 0s to 10m"));
}

TEST(access_section, takes_clusters_of_kubernetes) {
  const auto all = load_access(
      "  kubernetes:\n"
      "    clusters: [{keyId: a, server: \"https://a\", caFile: a.pem}, {server: \"https://b\"}]\n"
      "    tokenExpiry: 1h\n");
  ASSERT_TRUE(all) << all.error().detail;
  const auto& clusters = all->value.access.kubernetes.clusters;
  ASSERT_EQ(clusters.size(), 2U);
  EXPECT_EQ(clusters[0].key_id, "a");
  EXPECT_EQ(clusters[0].ca_file, "a.pem");
  EXPECT_EQ(clusters[1].server, "https://b");
  EXPECT_EQ(all->value.access.kubernetes.good_for, 1h);
  EXPECT_THAT(mistake_in("  kubernetes: {clusters: [{keyId: a}]}\n"),
              HasSubstr("needs a server for each cluster"));
  EXPECT_THAT(mistake_in("  kubernetes: {clusters: [{server: \"http://b\"}]}\n"),
              HasSubstr("must be an https URL"));
  EXPECT_THAT(
      mistake_in("  kubernetes: {clusters: [{server: \"https://a\"}, {server: \"https://b\"}]}\n"),
      HasSubstr("has two clusters without keyId"));
}

TEST(access_section, takes_users_of_nats_without_a_password) {
  const auto all = load_access("  users: [{name: ann, groups: [staff]}]\n");
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(all->value.access.users.front().password_hash, "");
  EXPECT_THAT(all->value.access.users.front().groups, ElementsAre("staff"));
  EXPECT_THAT(mistake_in("  users: [{groups: [staff]}]\n"), HasSubstr("needs a name"));
  EXPECT_THAT(mistake_in("  users: [{name: ann, passwordHash: \"\"}]\n"),
              HasSubstr("argosyd hash-password"));
}

TEST(access_section, takes_permissions_in_the_form_of_armada) {
  const auto all = load_access(
      "  permissionGroupMapping: {submit_any_jobs: [everyone], create_queue: [a, b]}\n"
      "  permissionScopeMapping: {watch_all_events: [jobs:watch]}\n"
      "  permissionClaimMapping: {execute_jobs: [armada_executor]}\n");
  ASSERT_TRUE(all) << all.error().detail;
  const auto& access = all->value.access;
  ASSERT_EQ(access.by_group.size(), 2U);
  EXPECT_EQ(access.by_group[1].first, "create_queue");
  EXPECT_THAT(access.by_group[1].second, ElementsAre("a", "b"));
  EXPECT_THAT(access.by_scope[0].second, ElementsAre("jobs:watch"));
  EXPECT_THAT(access.by_claim[0].second, ElementsAre("armada_executor"));
  EXPECT_THAT(mistake_in("  permissionGroupMapping: {fly: [a]}\n"),
              HasSubstr("has 'fly', which is no permission; there are submit_any_jobs"));
  EXPECT_THAT(print_effective(*all), HasSubstr("watch_all_events: [jobs:watch]"));
}

}  // namespace
}  // namespace argosy::settings
