// SPDX-License-Identifier: Apache-2.0
// Goal: a cluster may refuse some jobs of a namespace and no others: those with services or
// ingresses, and those of one owner, whatever his name. Method: parts, and jobs that are of them or
// not.
#include "runtime/model/namespace_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/served_namespaces.hpp"

namespace argosy::model {
namespace {

using ::testing::ElementsAre;

std::string entry(const std::vector<std::string>& attached, std::string_view owner,
                  bool with_owner = true) {
  return entry_of("jobs", attached, owner, [&](const auto&) { return with_owner; });
}

TEST(namespace_parts, are_of_a_job_by_what_it_has_and_whose_it_is) {
  EXPECT_THAT(parts_of("jobs", {}, ""), ElementsAre("jobs"));
  EXPECT_THAT(parts_of("jobs", {"services"}, "alice"),
              ElementsAre("jobs", "jobs+services", "jobs+@alice", "jobs+services@alice"));
  EXPECT_EQ(entry({}, "alice", false), "jobs");
  EXPECT_EQ(entry({"services", "ingresses"}, "alice", false), "jobs+services+ingresses");
  for (const auto* part : {"jobs", "jobs+services", "jobs+@alice", "jobs+services@alice"}) {
    EXPECT_TRUE(concerns(part, entry({"services"}, "alice"))) << part;
    EXPECT_EQ(namespace_in(part), "jobs");
  }
  for (const auto* part : {"job", "jobs2", "jobs+ingresses", "jobs+@ali", "jobs+@alice2",
                           "jobs+service", "jobs+ingresses@alice", "other+services"})
    EXPECT_FALSE(concerns(part, entry({"services"}, "alice"))) << part;
  EXPECT_FALSE(concerns("jobs+@alice", "jobs"));
}

TEST(namespace_parts, are_shut_apart_from_others) {
  const auto value =
      to_taint_value({{"job*"}, {"jobs+services", "jobs+@bob"}, {{"c", "jobs+ingresses", 2}}});
  EXPECT_EQ(fate_in(value, entry({}, "alice")), namespace_fate::taken);
  EXPECT_EQ(fate_in(value, entry({"services"}, "alice")), namespace_fate::closed);
  EXPECT_EQ(fate_in(value, entry({}, "bob")), namespace_fate::closed);
  EXPECT_EQ(fate_in(value, entry({"ingresses"}, "alice")), namespace_fate::closed);
  EXPECT_EQ(fate_in(value, entry({"ingresses"}, "alice"), "c"), namespace_fate::taken);
  EXPECT_EQ(fate_in(to_taint_value({{}, {"jobs"}, {}}), entry({"services"}, "alice")),
            namespace_fate::closed);
}

TEST(namespace_parts, have_owners_of_any_name) {
  for (const std::string owner :
       {"alice@example.com", "system:serviceaccount:a:b", "a|!b?c/1+d%", "J\xc3\xbcrgen", "a b"}) {
    const auto part = parts_of("jobs", {}, owner).at(1);
    EXPECT_EQ(part.find_first_of("|!?/ "), std::string::npos) << part;
    EXPECT_EQ(whose_jobs(part), "of user " + owner);
    EXPECT_TRUE(concerns(part, entry({"services"}, owner)));
    EXPECT_FALSE(concerns(part, entry({"services"}, owner + "x")));
    EXPECT_EQ(read_taint_value(to_taint_value({{}, {part}, {}})).closed, std::vector{part});
  }
  EXPECT_EQ(whose_jobs("jobs"), "");
  EXPECT_EQ(whose_jobs("jobs+services"), "with services");
  EXPECT_EQ(whose_jobs("jobs+ingresses@alice"), "of user alice with ingresses");
  EXPECT_EQ(whose_jobs("jobs+@a%"), "of user a%") << "whatever a text says";
}

TEST(namespace_parts, are_named_by_categories_of_refusals) {
  const auto refused = [](const std::string& category) {
    return part_refused(category, "jobs", {"services"}, "alice").value_or("-");
  };
  EXPECT_EQ(refused("quota"), "jobs");
  EXPECT_EQ(refused("quota/services"), "jobs+services");
  EXPECT_EQ(refused("rights/@"), "jobs+@alice");
  EXPECT_EQ(refused("rights/services@"), "jobs+services@alice");
  for (const auto* other : {"quota/ingresses", "rights/@bob", "quota/", "quota/services/x"})
    EXPECT_EQ(refused(other), "-") << other;
  EXPECT_FALSE(part_refused("rights/@", "jobs", {}, ""));
  EXPECT_EQ(kind_of_refusal("quota/services"), "quota");
  EXPECT_EQ(kind_of_refusal("quota"), "quota");
}

}  // namespace
}  // namespace argosy::model
