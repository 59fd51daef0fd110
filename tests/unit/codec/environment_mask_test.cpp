// SPDX-License-Identifier: Apache-2.0
// Goal: annotations that repeat a manifest are known by what is in them, and others are left alone.
// Method: annotations as tools write them.
#include "messages/codec/api/environment_mask.hpp"

#include <gtest/gtest.h>

#include "messages/proto/api/submit.pb.h"

namespace argosy::codec {
namespace {

TEST(repeated_environments, are_known_in_json_in_yaml_and_as_a_text_in_json) {
  for (const auto* text :
       {R"({"spec":{"containers":[{"env":[{"name":"A","value":"b"}]}]}})",
        R"({ "env" : [ { "value" : "b" } ] })", R"("{\"env\":[{\"name\":\"A\",\"value\":\"b\"}]}")",
        "containers:\n- env:\n  - name: A\n    value: b\n", "env: [{name: A, value: b}]"})
    EXPECT_TRUE(repeats_environment("a.b/c", text)) << text;
  for (const auto* text :
       {"", "env", "environment: value: 3", R"({"value":"env"})",
        "my-env: value:", R"({"envFrom":[{"value":"b"}]})", "a sentence about env and value"})
    EXPECT_FALSE(repeats_environment("a.b/c", text)) << text;
  EXPECT_TRUE(repeats_environment("kapp.k14s.io/original", "packed"));
  EXPECT_FALSE(repeats_environment("kapp.k14s.io/original", ""));
}

TEST(repeated_environments, are_hidden_with_the_environment) {
  api::Job job;
  (*job.mutable_annotations())["a.b/c"] = "env: [{name: A, value: b}]";
  (*job.mutable_annotations())["a.b/d"] = "kept";
  (*job.add_ingress()->mutable_annotations())["a.b/c"] = "env: [{name: A, value: b}]";
  EXPECT_FALSE(hides_values(job));
  hide_environment(job);
  EXPECT_EQ(job.annotations().at("a.b/c"), hidden_value);
  EXPECT_EQ(job.annotations().at("a.b/d"), "kept");
  EXPECT_EQ(job.ingress(0).annotations().at("a.b/c"), hidden_value);
  job.clear_annotations();
  EXPECT_TRUE(hides_values(job));
}

}  // namespace
}  // namespace argosy::codec
