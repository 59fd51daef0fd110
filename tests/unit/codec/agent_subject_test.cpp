// SPDX-License-Identifier: Apache-2.0
// Goal: every cluster name is one token of a subject, and comes back from it. Method: names with
// and without dots, and subjects of others.
#include "messages/codec/agent/agent_subject.hpp"

#include <gtest/gtest.h>

namespace argosy::codec {
namespace {

TEST(agent_subject, holds_the_cluster_as_one_token) {
  EXPECT_EQ(make_agent_subject("c", "orders"), "argosy.agent.c.orders");
  EXPECT_EQ(make_agent_subject("eu.north-1.c", "hello"), "argosy.agent.eu_north-1_c.hello");
  EXPECT_EQ(make_agent_subject("*", "hello"), "argosy.agent.*.hello");
}

TEST(agent_subject, gives_the_name_back) {
  for (const auto* name : {"c", "eu.north-1.c", "a.b"}) {
    const auto parsed = parse_agent_subject(make_agent_subject(name, "report"));
    EXPECT_EQ(parsed.cluster, name);
    EXPECT_EQ(parsed.what, "report");
  }
}

TEST(agent_subject, knows_what_is_none) {
  for (const auto* subject : {"", "argosy.agent.", "argosy.agent.c", "argosy.agent..hello",
                              "argosy.api.Submit.SubmitJobs"}) {
    EXPECT_EQ(parse_agent_subject(subject).cluster, "") << subject;
    EXPECT_EQ(parse_agent_subject(subject).what, "") << subject;
  }
}

}  // namespace
}  // namespace argosy::codec
