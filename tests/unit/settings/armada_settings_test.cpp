// SPDX-License-Identifier: Apache-2.0
// Goal: the lower promise of executors of Armada is chosen by name, or they are refused. Method:
// sections `armadaExecutors` as texts.
#include <gmock/gmock.h>

#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::settings {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

result<loaded<argosyd_settings>> load_armada(const std::string& clusters) {
  sources from;
  from.file = {"f.yaml", "armadaExecutors:\n  clusters: " + clusters + "\n"};
  return load_argosyd(from);
}

std::string mistake_in_clusters(const std::string& clusters) {
  const auto got = load_armada(clusters);
  return got ? "accepted" : got.error().detail;
}

TEST(armada_section, names_clusters_and_who_may_serve_them) {
  const auto got = load_armada(
      "[{name: far, promise: confirmed-only, users: [executor]}, {name: near, promise: "
      "confirmed-only, users: [anonymous], nodeIdLabel: host, priorityClassName: \"\"}]");
  ASSERT_TRUE(got) << got.error().detail;
  const auto rules = rules_of(got->value.armada_executors);
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].name, "far");
  EXPECT_THAT(rules[0].users, ElementsAre("executor"));
  EXPECT_EQ(rules[0].node_label, "kubernetes.io/hostname");
  EXPECT_EQ(rules[0].priority_class, "armada-default");
  EXPECT_EQ(rules[1].node_label, "host");
  EXPECT_EQ(rules[1].priority_class, "");
}

TEST(armada_section, refuses_what_was_not_promised) {
  EXPECT_THAT(mistake_in_clusters("[{name: far, users: [a]}]"),
              HasSubstr("needs promise: confirmed-only for 'far'"));
  EXPECT_THAT(mistake_in_clusters("[{name: far, promise: leases, users: [a]}]"),
              HasSubstr("promise"));
  EXPECT_THAT(mistake_in_clusters("[{name: far, promise: confirmed-only}]"),
              HasSubstr("needs users"));
  EXPECT_THAT(mistake_in_clusters("[{name: FAR, promise: confirmed-only, users: [a]}]"),
              HasSubstr("wrong name"));
  EXPECT_THAT(
      mistake_in_clusters("[{name: a, promise: confirmed-only, users: [a]}, {name: a, promise: "
                          "confirmed-only, users: [b]}]"),
      HasSubstr("twice"));
  EXPECT_THAT(
      mistake_in_clusters("[{name: a, promise: confirmed-only, users: [a], nodeIdLabel: \"\"}]"),
      HasSubstr("nodeIdLabel"));
}

}  // namespace

}  // namespace argosy::settings
