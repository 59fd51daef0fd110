// SPDX-License-Identifier: Apache-2.0
// Goal: however much is wrong of one kind, what else is wrong is read beside it.
// Method: the sentences that follow from an answer of the server.
#include <gmock/gmock.h>

#include "bins/argosyctl/verbs/status/status_facts.hpp"

namespace argosy::ctl {

TEST(findings, name_few_of_many_namespaces_that_are_closed) {
  status_facts facts;
  auto& south = *facts.clusters.add_clusters();
  south.set_name("south");
  south.set_state("connected");
  for (const auto* name : {"a", "b", "c", "d", "e"}) south.add_closures()->set_namespace_(name);
  std::vector<std::string> kinds;
  std::string last;
  for (const auto& each : findings_of(facts)) {
    if (!each.kind.starts_with("closed")) continue;
    kinds.push_back(each.kind);
    last = each.text;
  }
  EXPECT_THAT(kinds, ::testing::ElementsAre("closedNamespace", "closedNamespace", "closedNamespace",
                                            "closedNamespaces"));
  EXPECT_EQ(last, "cluster south takes no jobs of 2 more namespaces for now");
}

TEST(findings, say_whose_jobs_a_namespace_is_closed_for) {
  status_facts facts;
  auto& south = *facts.clusters.add_clusters();
  south.set_name("south");
  south.set_state("connected");
  auto& closed = *south.add_closures();
  closed.set_namespace_("jobs");
  closed.set_whose("with services");
  closed.set_why("exceeded quota: q");
  closed.set_seconds_left(4);
  std::vector<std::string> texts;
  for (const auto& each : findings_of(facts)) texts.push_back(each.text);
  EXPECT_THAT(texts,
              ::testing::Contains("cluster south takes no jobs with services in namespace "
                                  "jobs for now: exceeded quota: q; one job tries it in 4 s"));
}

}  // namespace argosy::ctl
