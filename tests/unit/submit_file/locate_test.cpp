// SPDX-License-Identifier: Apache-2.0
// Goal: the field that a server names is found in the file, in the file's own names. Method: paths
// of a server's messages against one file.
#include "messages/submit_file/locate.hpp"

#include <gtest/gtest.h>

namespace argosy::submit_file {
namespace {

const std::string file = R"(queue: q
jobSetId: s
x-pod: &pod
  priorityClassName: urgent
jobs:
  - podSpec: {}
  - namespace: default
    annotations:
      a.b/c: d
    podSpec:
      containers:
        - name: one
        - name: two
          resources:
            requests:
              cpu: 1
              x.com/gpu: 2
  - podSpec:
      <<: *pod
    podSpecs: [{containers: []}]
)";

std::string found(std::size_t number, const std::string& path) {
  std::size_t size = 0;
  const auto place = locate(file, number, path, size);
  if (!place) return "nothing";
  return std::to_string(place->line) + ":" + std::to_string(place->column) + " " + place->field +
         path.substr(size);
}

TEST(locate, finds_the_line_of_what_the_server_names) {
  EXPECT_EQ(found(1, ".pod_spec.containers[1].resources.requests[\"x.com/gpu\"]: unknown"),
            "17:15 jobs[1].podSpec.containers[1].resources.requests[\"x.com/gpu\"]: unknown");
  EXPECT_EQ(found(1, ".namespace: no"), "7:16 jobs[1].namespace: no");
  EXPECT_EQ(found(1, ".annotations[\"a.b/c\"]: no"), "9:7 jobs[1].annotations[\"a.b/c\"]: no");
  EXPECT_EQ(found(1, ": gang 'g' differs"), "7:5 jobs[1]: gang 'g' differs");
  EXPECT_EQ(found(2, ".pod_spec.priorityClassName: unknown"),
            "4:22 jobs[2].podSpec.priorityClassName: unknown");
  EXPECT_EQ(found(2, ".pod_specs[0].containers: is empty"),
            "20:29 jobs[2].podSpecs[0].containers: is empty");
}

TEST(locate, what_is_missing_is_placed_where_it_belongs) {
  EXPECT_EQ(found(1, ".pod_spec.containers[0].resources: has neither"),
            "12:11 jobs[1].podSpec.containers[0].resources: has neither");
  EXPECT_EQ(found(0, ".pod_spec.containers[3].ports[1].containerPort: no"),
            "6:14 jobs[0].podSpec.containers[3].ports[1].containerPort: no");
  EXPECT_EQ(found(1, ".ingress[0].ports: no"), "7:5 jobs[1].ingress[0].ports: no");
}

TEST(locate, takes_any_text_behind_the_path) {
  EXPECT_EQ(found(0, ""), "6:5 jobs[0]");
  EXPECT_EQ(found(0, ".: x"), "6:5 jobs[0].: x");
  EXPECT_EQ(found(0, "[\"open"), "6:5 jobs[0][\"open");
  EXPECT_EQ(found(0, "[x]"), "6:5 jobs[0][x]");
  EXPECT_EQ(found(0, ".namespace is long"), "6:5 jobs[0].namespace is long");
  EXPECT_EQ(found(3, ".namespace: no"), "nothing");
}

}  // namespace
}  // namespace argosy::submit_file
