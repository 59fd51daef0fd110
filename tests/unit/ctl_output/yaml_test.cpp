// SPDX-License-Identifier: Apache-2.0
// Goal: JSON comes out as YAML that means the same. Method: exact text, and text that YAML would
// read as something else without quotes.
#include "bins/argosyctl/output/yaml.hpp"

#include <gtest/gtest.h>

namespace argosy::ctl {

namespace {

TEST(yaml, has_a_line_for_each_value) {
  EXPECT_EQ(yaml_of(R"({"jobId":"01kaz","state":"QUEUED","priority":1.5,"labels":{},"runs":[]})"),
            "jobId: \"01kaz\"\nstate: QUEUED\npriority: 1.5\nlabels: {}\nruns: []\n");
}

TEST(yaml, nests_objects_and_lists) {
  EXPECT_EQ(yaml_of(R"({"a":{"b":[{"c":1,"d":{"e":true}},2,["x"]]},"f":null})"),
            "a:\n  b:\n  - c: 1\n    d:\n      e: true\n  - 2\n  -\n    - x\nf: null\n");
  EXPECT_EQ(yaml_item_of(R"({"a":1,"b":[2]})"), "- a: 1\n  b:\n  - 2\n");
}

TEST(yaml, quotes_what_would_mean_something_else) {
  EXPECT_EQ(yaml_of(R"({"a":"yes","b":"1e3","c":"","d":"x: y","e":"line\nfeed","f":"n","g":"-x"})"),
            "a: \"yes\"\nb: \"1e3\"\nc: \"\"\nd: \"x: y\"\ne: \"line\\nfeed\"\nf: \"n\"\n"
            "g: \"-x\"\n");
  EXPECT_EQ(yaml_of(R"({"nvidia.com/gpu":"8","on":1})"), "nvidia.com/gpu: \"8\"\n\"on\": 1\n");
}

}  // namespace

}  // namespace argosy::ctl
